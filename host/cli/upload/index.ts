import type { ArgumentList } from '../../../core/binding/arguments.ts'
import { type Command, messageOf } from '../../../core/index.ts'
import { folderOf } from '../configuration/repo-folder.ts'
import { cliErrors } from '../errors.ts'
import type { Invocation } from '../line/invocation.ts'
import type { Terminal } from '../terminal.ts'
import type { UploadSource } from './entry.ts'
import { filesOf } from './files.ts'
import { linesOf } from './lines.ts'
import { rulesOf } from './rules.ts'

/** The upload of a command line, beside its words. */
export interface Uploaded {
  /** The words that are no files. */
  readonly words: readonly string[]
  readonly upload: UploadSource | undefined
  /** Standard input, where its lines stand for arguments. */
  readonly stdin: { bytes(): AsyncIterable<Uint8Array>; readonly source: UploadSource } | undefined
}

/**
 * Tells files from arguments, and decides whether standard input is read: for files that were not named, and for a last argument that
 * has no word, where the declaration says that it may come so.
 */
export async function uploadOf(command: Command, args: ArgumentList, { line, terminal, globals, commands }: Invocation): Promise<Uploaded> {
  const strings = command.body === undefined ? line.words : line.words.slice(0, args.most)
  const stdin = () => stdinOf(terminal)
  const refuseFolder = () => {
    if (terminal.isFolderStdin) throw cliErrors.E_STDIN_UNREADABLE('is a directory')
  }
  if (command.body !== undefined) {
    const named = line.words.slice(strings.length)
    args.check(strings)
    // before anything is asked that would change with the first byte
    if (named.length === 0 || named.includes('-')) refuseFolder()
    const said = line.table.values(line.table.gather(line.pairs)) as FileValues
    if (said.stdinName !== undefined && !isName(said.stdinName)) throw cliErrors.E_STDIN_NAME(said.stdinName)
    const upload = await filesOf(named.length === 0 ? ['-'] : named, {
      argument: command.body.name,
      folders: command.body.folders,
      recursive: said.recursive === true,
      dereference: said.dereferenceArgs === true || said.dereferenceSymlinks === true,
      follow: said.dereferenceSymlinks === true,
      tells: { mode: said.preserveMode === true, mtime: said.preserveMtime === true },
      stdinName: said.stdinName ?? '',
      rules: await rulesOf({ hidden: said.hidden === true, patterns: said.ignore ?? [], file: said.ignoreRulesPath }),
      cwd: terminal.cwd,
      repo: folderOf(globals, commands.loaded),
      stdin
    })
    return { words: strings, upload, stdin: undefined }
  }
  const none = { words: strings, upload: undefined, stdin: undefined }
  if (!args.fromBody || line.words.length >= args.count) return none
  refuseFolder()
  // an argument that is missing is told before anything is asked
  const bytes = await unlessEmpty(stdin())
  if (bytes === undefined) return none
  if (!args.takesLines) {
    const first = await linesOf(bytes).next()
    return { ...none, words: first === undefined ? strings : [...strings, first] }
  }
  const source: UploadSource = {
    async *entries() {
      yield { path: 'stdin', kind: 'file', bytes: () => bytes }
    },
    total: () => undefined
  }
  return { ...none, stdin: { bytes: () => bytes, source } }
}

/** Whether a folder can have an entry of that name. */
function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/')
}

/** The same bytes; undefined when there are none. */
async function unlessEmpty(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array> | undefined> {
  const iterator = bytes[Symbol.asyncIterator]()
  let first = await iterator.next()
  while (first.done !== true && first.value.length === 0) first = await iterator.next()
  if (first.done) return undefined
  return (async function* () {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => iterator }
  })()
}

/** The options that say which files are read, where the command declares them. */
interface FileValues {
  readonly recursive?: boolean
  readonly dereferenceArgs?: boolean
  readonly dereferenceSymlinks?: boolean
  readonly preserveMode?: boolean
  readonly preserveMtime?: boolean
  readonly stdinName?: string
  readonly hidden?: boolean
  readonly ignore?: readonly string[]
  readonly ignoreRulesPath?: string
}

async function* stdinOf(terminal: Terminal): AsyncGenerator<Uint8Array> {
  if (terminal.stdin.isTTY) terminal.stderr.write('Reading from standard input; Ctrl-D ends it.\n')
  try {
    yield* terminal.stdin as AsyncIterable<Uint8Array>
  } catch (error) {
    throw cliErrors.E_STDIN_UNREADABLE(messageOf(error))
  }
}

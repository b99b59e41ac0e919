import { parseDuration } from '../../core/go/duration.ts'
import { type Call, type Command, messageOf, type NodeError } from '../../core/index.ts'
import { isInitialised, readAddress } from '../../core/repo/layout.ts'
import { Binding } from '../call/binding.ts'
import { apiAddress } from './address.ts'
import type { Answer, Wanted } from './answer.ts'
import { folderOf } from './compose.ts'
import type { Directory } from './directory.ts'
import { cliErrors } from './errors.ts'
import { type GlobalValues, isSent } from './options.ts'
import type { Line } from './parse.ts'
import { Remote } from './remote.ts'
import { print, textOf } from './show.ts'
import { Printer, type Terminal } from './terminal.ts'
import { type Uploaded, uploadOf } from './upload/index.ts'

const ENCODINGS: readonly string[] = ['text', 'json', 'xml', 'textnl']

/** A command line that named a command. */
export interface Said {
  readonly line: Line
  readonly globals: GlobalValues
  readonly directory: Directory
  readonly terminal: Terminal
}

/** Everything that is known of a call before anything runs. */
export interface Plan extends Said, Uploaded {
  readonly command: Command
  readonly binding: Binding
  readonly wanted: Wanted
}

/**
 * Holds the words of a command line against the command's declaration, and looks for the files they name.
 *
 * @throws what is wrong with them
 */
export async function prepare(command: Command, said: Said): Promise<Plan> {
  const { line, globals } = said
  const { words, path } = line
  const binding = new Binding(command)
  const most = binding.args.most + (command.body === undefined ? 0 : command.body.many ? Number.POSITIVE_INFINITY : 1)
  if (words.length > most) throw cliErrors.E_WORDS_TOO_MANY(words[most]!, most)
  const encoding = globals.encoding ?? 'text'
  if (!ENCODINGS.includes(encoding)) throw cliErrors.E_ENCODING(encoding)
  if (command.local && globals.api !== undefined) throw cliErrors.E_API_LOCAL(path.join(' '))
  checkOptions(line, globals)
  const uploaded = await uploadOf(command, binding.args, said)
  if (uploaded.stdin === undefined) binding.args.check(uploaded.words)
  // a text of its own is the node's to write, so that it is its text to the byte
  const ownText = command.terminal === undefined && command.text !== undefined
  const wanted = encoding !== 'text' ? (encoding as Wanted) : ownText ? 'text' : 'items'
  return { ...said, ...uploaded, command, binding, wanted }
}

/** @throws E_OPTION_VALUE, E_OPTION_TWICE, E_OPTION_TEXT */
function checkOptions({ table, pairs }: Line, { timeout }: GlobalValues): void {
  const given = table.gather(pairs)
  const values = table.values(given)
  try {
    table.formats(given, values)
    if (timeout !== undefined) parseDuration(timeout)
  } catch (error) {
    throw cliErrors.E_OPTION_TEXT(messageOf(error))
  }
}

/** Runs a command where its node is and prints what it answers. */
export async function run(plan: Plan): Promise<void> {
  const { command, terminal } = plan
  const printer = new Printer(terminal.stdout)
  const { answer, close } = await ask(plan)
  try {
    if (answer.kind === 'bytes') for await (const bytes of answer.bytes) await printer.bytes(bytes)
    else
      await print(
        textOf(command, answer.items, () => callOf(plan)),
        printer
      )
    await printer.flush()
  } finally {
    await close()
  }
}

interface Asked {
  readonly answer: Answer
  close(): Promise<void>
}

/** Asks the node that runs; without one, works on the repo in this process. */
async function ask(plan: Plan): Promise<Asked> {
  const { command, binding, line, globals, terminal, wanted, words, upload, stdin } = plan
  const pairs = line.pairs.filter(([name]) => isSent(name))
  const signal = terminal.interrupts()
  const common = { words, pairs, wanted, signal, onSent() {} }
  const remote = command.local ? undefined : await remoteOf(plan)
  if (remote !== undefined) {
    try {
      const octets = command.reply.kind === 'bytes'
      const answer = await remote.node.ask({ ...common, path: command.path, upload: upload ?? stdin?.source, octets })
      return { answer, close: async () => {} }
    } catch (error) {
      if (!(await isLeftOver(error, remote.named, plan))) throw error
    }
  }
  const { Local } = await import('./local.ts')
  const local = await Local.open(command, plan.directory, globals)
  const close = () => local.close()
  try {
    const answer = await local.ask({ ...common, command, binding, upload, stdin: stdin?.bytes() })
    return { answer, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The node to ask: the one that was named, else the one that left its address in the repo. */
export async function remoteOf({ globals, directory, terminal }: Pick<Said, 'globals' | 'directory' | 'terminal'>) {
  const named = globals.api ?? (terminal.env['HOLDFAST_API'] || undefined)
  const address = named ?? (await readAddress(folderOf(globals, directory.loaded), 'api'))
  return address === undefined ? undefined : { node: new Remote(apiAddress(address), globals.apiAuth), named: named !== undefined }
}

/** Whether an address in the repo is that of a node that is gone, so that the repo can be worked on from here. */
async function isLeftOver(error: unknown, named: boolean, { globals, directory }: Plan): Promise<boolean> {
  const { code, cause } = error as Partial<NodeError>
  const reason = (cause as NodeJS.ErrnoException | undefined)?.code
  if (named || code !== 'E_API_UNREACHABLE' || (reason !== 'ECONNREFUSED' && reason !== 'ENOENT')) return false
  return isInitialised(folderOf(globals, directory.loaded))
}

/** The call as a command's own text functions see it. */
export function callOf({ command, binding, line, words, terminal }: Plan): Call {
  const given = binding.options.gather(line.pairs.filter(([name]) => isSent(name)))
  const options = binding.options.formats(given, binding.options.values(given))
  const args = binding.args.values(words)
  const signal = terminal.interrupts()
  return { command, args, options, body: undefined, signal, deadline: undefined, caller: { transport: 'process' } } as unknown as Call
}

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'
import { messageOf } from '../../../core/index.ts'
import { placeOf } from './culprit.ts'

const ERASABLE =
  'Node leaves the types out of a file and runs the rest, so write it without enums, namespaces, parameter properties and decorators, or compile it to JavaScript'

/** Why a module could not be imported. */
interface ImportFailure {
  /** The message, with the file and the line where they are known. */
  readonly what: string
  /** Where the code itself tells what to do. */
  readonly remedy: string | undefined
}

export async function importFailure(error: unknown, module: string): Promise<ImportFailure> {
  const said = messageOf(error).split('\n')[0]!
  const place = placeOf(error) || (error instanceof SyntaxError ? await unreadable(module) : '')
  const remedy = /\.[cm]?ts:\d+\)$/.test(place) ? await remedyFor(error, said, place) : missing(error, said)
  return { what: `${said}${place}`, remedy }
}

/** The remedy for an import that leads to nothing. */
function missing(error: unknown, said: string): string | undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') return undefined
  const name = /^Cannot find package '([^']+)'/.exec(said)?.[1]
  return name === undefined ? 'mend the path in the import' : `install it there (npm install ${name}), or mend the name in the import`
}

async function remedyFor(error: unknown, said: string, place: string): Promise<string | undefined> {
  if ((error as NodeJS.ErrnoException).code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return ERASABLE
  if (!(error instanceof SyntaxError)) return undefined
  const name = /does not provide an export named '([^']+)'/.exec(said)?.[1]
  if (name !== undefined) return `if ${name} is a type, write 'type ${name}' in the import`
  return (await lineAt(place)).trimStart().startsWith('@') ? ERASABLE : undefined
}

/** The line that a place ` (/x/y.ts:3)` names; empty where there is none. */
async function lineAt(place: string): Promise<string> {
  const [, file, line] = /^ \((.+):(\d+)\)$/.exec(place) ?? []
  if (file === undefined) return ''
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n')[Number(line) - 1] ?? ''
}

/** Parses files one after the other, and dies of the first that is no JavaScript. Nothing of them is run. */
const PARSE = `
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { SourceTextModule } from 'node:vm'
for (const file of process.argv.slice(1)) {
  const text = readFileSync(file, 'utf8')
  new SourceTextModule(/\\.[cm]?ts$/.test(file) ? stripTypeScriptTypes(text) : text, { identifier: file })
}`

/** Where a module, or one that it imports by a relative path, cannot be parsed: Node says it only of what a process dies of. */
async function unreadable(module: string): Promise<string> {
  const flags = ['--no-warnings', '--experimental-vm-modules', '--input-type=module', '--eval', PARSE, '--']
  const files = [...(await reached(module))]
  const said = await promisify(execFile)(process.execPath, [...flags, ...files], { timeout: 10_000 }).then(
    () => '',
    (error: { readonly stderr?: string }) => error.stderr ?? ''
  )
  const file = files.find(one => said.startsWith(`${one}:`))
  const line = file === undefined ? undefined : /^:(\d+)\n/.exec(said.slice(file.length))?.[1]
  return line === undefined ? '' : ` (${file}:${line})`
}

/** A specifier that looks like a file: a text that is no file is passed over. */
const RELATIVE = /['"](\.\.?\/[^'"\n]+)['"]/g

/** A file and all that it imports by relative paths, each once. */
async function reached(file: string, files: Set<string> = new Set()): Promise<Set<string>> {
  if (files.has(file)) return files
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return files
  files.add(file)
  for (const [, path] of text.matchAll(RELATIVE)) await reached(resolve(dirname(file), path!), files)
  return files
}

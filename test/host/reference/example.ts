import { readdir, readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Command, namesOf, wireName } from '../../../core/index.ts'

/** A command line taken apart: which command, its query, and the files it names. */
export interface ExampleCall {
  readonly command: Command
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly files: readonly string[]
}

/** The words of a line as a shell tells them apart: by spaces, quotes around what has some. */
export function words(line: string): string[] {
  return [...line.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replaceAll(/['"]/g, ''))
}

/** Reads an example's line; an option that its command does not know is an error. */
export function parseExample(line: string, commands: readonly Command[]): ExampleCall {
  const all = words(line)
  const starts = (command: Command) => command.path.split('/').every((word, i) => all[i] === word)
  const [command] = commands.filter(starts).sort((a, b) => b.path.length - a.path.length)
  if (command === undefined) throw new Error(`no command begins '${line}'`)
  const options = new Map(
    Object.entries(command.options).flatMap(([key, { spec }]) => namesOf(key, spec).map(name => [name, { key, spec }]))
  )
  const query: Array<[string, string]> = []
  const rest: string[] = []
  const left = all.slice(command.path.split('/').length)
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [, name, value] = /^--?([^=]+)(?:=(.*))?$/.exec(word) ?? []
    if (name === undefined) {
      rest.push(word)
      continue
    }
    const option = options.get(name)
    if (option === undefined) throw new Error(`'${line}': ${command.path} has no option ${name}`)
    query.push([wireName(option.key, option.spec), value ?? (option.spec.wire === 'bool' ? 'true' : left.shift()!)])
  }
  const named = command.body === undefined ? rest.length : Object.keys(command.args).length
  query.push(...rest.slice(0, named).map(word => ['arg', word] as [string, string]))
  return { command, query, files: rest.slice(named) }
}

/** The files that a line names, read below `folder`, as an upload. */
export async function upload(folder: string, files: readonly string[]): Promise<FormData> {
  const form = new FormData()
  for (const file of files) await append(form, `${folder}/${file}`, basename(file))
  return form
}

async function append(form: FormData, from: string, as: string): Promise<void> {
  if (!(await stat(from)).isDirectory()) {
    form.append('file', new Blob([await readFile(from)]), encodeURIComponent(as))
    return
  }
  form.append('file', new Blob([], { type: 'application/x-directory' }), encodeURIComponent(as))
  for (const name of (await readdir(from)).sort()) await append(form, `${from}/${name}`, `${as}/${name}`)
}

import type { OptionEntry } from '../../../core/binding/options.ts'
import { OptionTable } from '../../../core/binding/options.ts'
import { type ParameterSpec, wireName } from '../../../core/contract/params.ts'
import { trimRight } from '../../../core/go/trim.ts'
import type { Invocable, KnownCommands } from './known-commands.ts'
import { commandLineOptions } from './options.ts'
import { dashedNames, type Line } from './parse.ts'

const WIDTH = 100

/** The help of what a line names: the program, a group, or a command. */
export async function helpFor({ path, entry }: Line, commands: KnownCommands): Promise<string> {
  if (path.length === 0) return rootHelp(commands)
  const below = commands.paths.filter(one => one.startsWith(`${path.join('/')}/`))
  return entry === undefined ? groupHelp(path, below, commands) : commandHelp(entry, below, commands)
}

function rootHelp(commands: KnownCommands): string {
  const sections = commands.sections().filter(({ paths, off }) => paths.length > 0 || off !== undefined)
  const width = Math.max(...sections.flatMap(({ paths }) => paths.map(path => path.length)))
  const lists = sections.map(({ about, paths, off }) => {
    const words = paths.map(path => path.replaceAll('/', ' ').padEnd(width))
    return off === undefined ? `  ${about}\n${columns(words, 4)}` : `  ${about} (off: ${off})`
  })
  return page([
    ['', 'holdfast: an IPFS node whose every command is a plugin.'],
    ['USAGE', '  holdfast [options] <command> [options] [arguments]'],
    ['COMMANDS', lists.join('\n\n')],
    ['OPTIONS OF EVERY COMMAND', optionList(new OptionTable(commandLineOptions).entries)],
    ['', "  'holdfast <command> --help' tells more of each; 'holdfast completion bash' completes them in a shell."]
  ])
}

async function groupHelp(path: readonly string[], below: readonly string[], commands: KnownCommands): Promise<string> {
  return page([
    ['USAGE', `  holdfast ${path.join(' ')} <command> [options] [arguments]`],
    ['COMMANDS', await commandList(below, commands)],
    // what is left of a group is all that is listed of it
    ['SWITCHED OFF', below.length === 0 ? offText(commands.whyOffBelow(path)) : ''],
    ['', `  'holdfast ${path.join(' ')} <command> --help' tells more of each.`]
  ])
}

async function commandHelp(entry: Invocable, below: readonly string[], commands: KnownCommands): Promise<string> {
  const words = entry.path.replaceAll('/', ' ')
  const ofCommand = new OptionTable(entry.options).entries.filter(({ key }) => key in entry.options)
  return page([
    ['', `holdfast ${words}: ${entry.help}`],
    ['SWITCHED OFF', offText([commands.whyOff(entry.path)])],
    ['USAGE', `  ${usage(entry)}`],
    ['STATUS', statusText(entry)],
    ['ARGUMENTS', argumentList(entry)],
    ['OPTIONS', optionList(ofCommand)],
    ['EXAMPLES', exampleList(entry)],
    ['COMMANDS', await commandList(below, commands)],
    ['', "  'holdfast --help' lists the options that every command takes."]
  ])
}

const offText = (reasons: ReadonlyArray<string | undefined>) =>
  reasons
    .filter(reason => reason !== undefined)
    .map(reason => `  ${reason}`)
    .join('\n')

/** `holdfast pin add [options] <ipfs-path>...` */
export function usage({ path, args, options, body }: Invocable): string {
  const shown = Object.entries(args).map(([key, { spec }]) => bracketed(wireName(key, spec), spec.many, isOptional(spec) || spec.fromBody))
  if (body !== undefined) shown.push(bracketed(body.name, body.many, true))
  return ['holdfast', ...path.split('/'), ...(Object.keys(options).length > 0 ? ['[options]'] : []), ...shown].join(' ')
}

function bracketed(name: string, many: boolean, optional: boolean): string {
  const dots = many ? '...' : ''
  return optional ? `[${name}]${dots}` : `<${name}>${dots}`
}

const isOptional = (spec: ParameterSpec) => spec.optional || spec.default !== undefined

function statusText({ status, path }: Invocable): string {
  if (status === 'regular') return ''
  const means = {
    newer: 'not in Kubo 0.28, but in later versions',
    experimental: 'may change or go with any version',
    deprecated: 'kept for those who use it; do not build on it',
    removed: 'it only tells what took its place'
  }[status]
  const settings = `'plugins: { ${status}: off }' in the configuration switches all such commands off, 'commands: { "${path}": on }' this one on.`
  return wrapped(`${status}: ${means}. ${settings}`, WIDTH - 2)
    .map(line => `  ${line}`)
    .join('\n')
}

function argumentList({ args, body }: Invocable): string {
  const rows = Object.entries(args).map(([key, { spec }]) => [
    bracketed(wireName(key, spec), spec.many, isOptional(spec)),
    `${spec.help}${spec.fromBody ? ` ${spec.many && !spec.firstLine ? 'Lines' : 'A line'} of standard input will do.` : ''}${valuesText(spec)}`
  ])
  if (body !== undefined) {
    rows.push([
      bracketed(body.name, body.many, false),
      `${body.help}${body.help === '' ? '' : ' '}Files${body.folders ? ' and folders' : ''}, or - for standard input.`
    ])
  }
  return table(rows)
}

function optionList(entries: readonly OptionEntry[]): string {
  const rows = entries
    .filter(({ spec }) => spec !== commandLineOptions.h.spec)
    .map(entry => {
      const names = dashedNames(entry).join(', ')
      return [entry.spec.wire === 'bool' ? names : `${names} <${kindOf(entry.spec)}>`, `${entry.spec.help}${valuesText(entry.spec)}`]
    })
  return table(rows)
}

function kindOf({ wire, format }: ParameterSpec): string {
  return wire === 'string' ? format : trimRight(wire, '0123456789')
}

function valuesText({ choices, default: preset, many }: ParameterSpec): string {
  const parts = [
    ...(choices === undefined ? [] : [`One of ${choices.join(', ')}.`]),
    ...(preset === undefined || preset === '' ? [] : [`Default: ${Array.isArray(preset) ? preset.join(' ') : String(preset)}.`]),
    ...(many ? ['May be repeated.'] : [])
  ]
  return parts.length === 0 ? '' : ` ${parts.join(' ')}`
}

function exampleList({ examples }: Invocable): string {
  return examples.map(({ title, args }) => `  ${title}:\n    holdfast ${args}`).join('\n\n')
}

async function commandList(paths: readonly string[], commands: KnownCommands): Promise<string> {
  const rows = await Promise.all(
    paths.map(async path => {
      const entry = await commands.entry(path.split('/'))
      const status = entry === undefined || entry.status === 'regular' ? '' : ` (${entry.status})`
      return [path.replaceAll('/', ' '), `${entry?.help ?? ''}${status}`]
    })
  )
  return table(rows)
}

/** Two columns, the second broken into lines. */
function table(rows: ReadonlyArray<readonly string[]>): string {
  const width = Math.min(34, Math.max(0, ...rows.map(([name = '']) => name.length)))
  return rows
    .map(([name = '', text = '']) => {
      const lines = wrapped(text, WIDTH - width - 4)
      const first = name.length > width ? `  ${name}\n${' '.repeat(width + 4)}` : `  ${name.padEnd(width)}  `
      return `${first}${lines.join(`\n${' '.repeat(width + 4)}`)}`.trimEnd()
    })
    .join('\n')
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

function columns(words: readonly string[], indent: number): string {
  const width = Math.max(...words.map(word => word.length)) + 2
  const perLine = Math.max(1, Math.floor((WIDTH - indent) / width))
  const lines: string[] = []
  for (let at = 0; at < words.length; at += perLine) {
    lines.push(
      `${' '.repeat(indent)}${words
        .slice(at, at + perLine)
        .map(word => word.padEnd(width))
        .join('')
        .trimEnd()}`
    )
  }
  return lines.join('\n')
}

function page(parts: ReadonlyArray<readonly [title: string, text: string]>): string {
  const shown = parts.filter(([, text]) => text !== '').map(([title, text]) => (title === '' ? text : `${title}\n${text}`))
  return `${shown.join('\n\n')}\n`
}

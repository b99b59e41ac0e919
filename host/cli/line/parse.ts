import { didYouMean } from '../../../config/host/suggest.ts'
import type { OptionEntry } from '../../../core/binding/options.ts'
import { OptionTable } from '../../../core/binding/options.ts'
import type { Parameters } from '../../../core/contract/params.ts'
import { cliErrors } from '../errors.ts'
import type { Invocable, KnownCommands } from './known-commands.ts'
import { commandLineOptions, isSent, type Pairs } from './options.ts'

/** A command line, its words told apart from its options; values not looked into yet. */
export interface Line {
  /** The words that name a command or a group; empty for the program alone. */
  readonly path: readonly string[]
  /** undefined for a group. */
  readonly entry: Invocable | undefined
  readonly words: readonly string[]
  /** Every option of the command, and those of all commands, under its first name. */
  readonly pairs: Pairs
  /** The options among them that are sent to the node. */
  readonly sent: Pairs
  /** The options of all commands; one may stand before the words of a command that has its own of that name. */
  readonly globals: Pairs
  readonly table: OptionTable
}

/**
 * Reads a command line as the reference does (go-ipfs-cmds 0.10, cli/parse.go): options may stand anywhere, those of a command behind
 * its words; `--name value`, `--name=value`, `-n value`, `-nvalue`, `-n=value`, letters of booleans together (`-rq`); `--no-name` for
 * `--name=false`; `--` ends the options.
 *
 * @param path - gets the words that name a command, also when something is wrong behind them
 * @throws E_COMMAND_LINE, E_OPTION_UNKNOWN, E_OPTION_BARE
 */
export async function parseLine(argv: readonly string[], commands: KnownCommands, path: string[] = []): Promise<Line> {
  const words: string[] = []
  const said: Array<readonly [option: OptionEntry, value: string]> = []
  let entry: Invocable | undefined
  let table = new OptionTable(commandLineOptions)
  let at = 0

  const value = (shown: string): string => {
    if (at + 1 >= argv.length) throw cliErrors.E_OPTION_BARE(shown)
    return argv[++at]!
  }
  const long = (text: string) => {
    const { name, value: given } = split(text)
    const option = table.find(name)
    if (option === undefined && name.startsWith('no-') && given === undefined) {
      const positive = table.find(name.slice(3))
      if (positive?.spec.wire === 'bool') return said.push([positive, 'false'])
    }
    if (option === undefined) throw unknownOption(name, table)
    said.push([option, given ?? (option.spec.wire === 'bool' ? 'true' : value(`--${name}`))])
  }
  const short = (text: string) => {
    const { name, value: given } = split(text)
    if (given !== undefined) {
      const option = table.find(name)
      if (option === undefined) throw unknownOption(name, table)
      return said.push([option, given])
    }
    for (let i = 0; i < text.length; i++) {
      const option = table.find(text[i]!)
      if (option === undefined) throw unknownOption(text[i]!, table)
      if (option.spec.wire === 'bool') said.push([option, 'true'])
      else {
        const attached = text.slice(i + 1)
        return said.push([option, attached === '' ? value(`-${text[i]}`) : attached])
      }
    }
  }

  for (; at < argv.length; at++) {
    const word = argv[at]!
    if (word === '--') {
      words.push(...argv.slice(at + 1))
      break
    }
    if (word.startsWith('--')) long(word.slice(2))
    else if (word.startsWith('-') && word !== '-') short(word.slice(1))
    else if (words.length === 0 && commands.has([...path, word])) {
      path.push(word)
      entry = await commands.entry(path)
      table = new OptionTable({ ...commandLineOptions, ...entry?.options })
    } else if (entry === undefined) throw commands.unknown([...path, word])
    else words.push(word)
  }
  if (entry === undefined && words.length > 0) {
    const named = [...path, words[0]!]
    throw commands.has(named) ? cliErrors.E_COMMAND_BEHIND(named.join(' ')) : commands.unknown(named)
  }
  return { path, entry, words, ...sorted(said, table), table }
}

function sorted(said: ReadonlyArray<readonly [option: OptionEntry, value: string]>, table: OptionTable) {
  const pairs = (taken: typeof said): Pairs => taken.map(([{ name }, value]) => [name, value])
  const isGlobal = ({ key, spec }: OptionEntry) => (commandLineOptions as Parameters)[key]?.spec === spec
  const known = said.filter(([{ name, spec }]) => table.find(name)?.spec === spec)
  return {
    pairs: pairs(known),
    sent: pairs(known.filter(([option]) => !isGlobal(option) || isSent(option.name))),
    globals: pairs(said.filter(([option]) => isGlobal(option)))
  }
}

function split(text: string): { name: string; value: string | undefined } {
  const end = text.indexOf('=')
  return end < 0 ? { name: text, value: undefined } : { name: text.slice(0, end), value: text.slice(end + 1) }
}

function unknownOption(name: string, table: OptionTable): Error {
  return cliErrors.E_OPTION_UNKNOWN(dashed(name), didYouMean(dashed(name), table.names.map(dashed)))
}

/** An option's name as it is typed. */
export function dashed(name: string): string {
  return name.length > 1 ? `--${name}` : `-${name}`
}

/** Every name of an option as it is typed, letters first. */
export function dashedNames({ name, spec }: OptionEntry): string[] {
  return [...new Set([name, ...spec.names])].sort((a, b) => Number(a.length > 1) - Number(b.length > 1)).map(dashed)
}

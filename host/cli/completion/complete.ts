import { OptionTable } from '../../../core/binding/options.ts'
import type { ParameterSpec, Parameters } from '../../../core/contract/params.ts'
import { printableLine } from '../../printable.ts'
import type { Invocable, KnownCommands } from '../line/known-commands.ts'
import { commandLineOptions } from '../line/options.ts'
import { dashed } from '../line/parse.ts'
import { isShowable } from './completable.ts'

/** Something that can stand at the cursor. */
export interface Candidate {
  readonly value: string
  /** The description, for shells that show one. */
  readonly about: string
}

/** Finds values that begin with what was typed; see `Parameter.completedBy`. */
export type FindValues = (spec: ParameterSpec, typed: string) => Promise<readonly string[]>

/** The most that a shell offers at once. */
export const MOST = 500

/**
 * The words that can follow on a command line.
 *
 * @param words - those before the cursor, the last one as far as it was typed
 * @returns nothing where a file, or anything, may stand
 */
export async function complete(words: readonly string[], commands: KnownCommands, find: FindValues): Promise<Candidate[]> {
  const current = words.at(-1) ?? ''
  const place = await placeOf(words.slice(0, -1), commands)
  const candidates = await candidatesAt(place, current, commands, find)
  const fitting = candidates.filter(({ value }) => value.startsWith(current) && isShowable(value)).slice(0, MOST)
  return fitting.map(({ value, about }) => ({ value, about: printableLine(about) }))
}

/** Where on a command line one is. */
interface CursorPlace {
  readonly path: readonly string[]
  readonly entry: Invocable | undefined
  readonly table: OptionTable
  /** Arguments so far. */
  readonly count: number
  /** The option whose value comes next. */
  readonly waiting: ParameterSpec | undefined
  /** Whether options are over. */
  readonly ended: boolean
}

/** The command of the words so far; unknown options are passed over: whoever is typing may mend it later. */
async function placeOf(words: readonly string[], commands: KnownCommands): Promise<CursorPlace> {
  const path: string[] = []
  let entry: Invocable | undefined
  let table = new OptionTable(commandLineOptions)
  let count = 0
  let waiting: ParameterSpec | undefined
  let ended = false
  for (const word of words) {
    if (waiting !== undefined) waiting = undefined
    else if (ended) count++
    else if (word === '--') ended = true
    else if (word.startsWith('-') && word !== '-') {
      const name = word.startsWith('--') ? word.slice(2) : word.at(-1)!
      const option = word.includes('=') ? undefined : table.find(name)
      if (option !== undefined && option.spec.wire !== 'bool') waiting = option.spec
    } else if (count === 0 && commands.has([...path, word])) {
      path.push(word)
      entry = await commands.entry(path)
      table = new OptionTable({ ...commandLineOptions, ...entry?.options })
    } else count++
  }
  return { path, entry, table, count, waiting, ended }
}

async function candidatesAt(
  { path, entry, table, count, waiting, ended }: CursorPlace,
  current: string,
  commands: KnownCommands,
  find: FindValues
) {
  if (waiting !== undefined) return bare(await valuesOf(waiting, current, find))
  if (!ended && current.startsWith('-')) {
    const equals = current.indexOf('=')
    if (equals < 0) return optionsOf(table)
    const option = table.find(current.slice(0, equals).replace(/^--?/, ''))
    const values = option === undefined ? [] : await valuesOf(option.spec, current.slice(equals + 1), find)
    return bare(values.map(value => `${current.slice(0, equals + 1)}${value}`))
  }
  const words = count === 0 && !ended ? await wordsBelow(path, commands) : []
  const spec = entry === undefined ? undefined : argumentAt(entry.args, count)
  const values = spec === undefined ? [] : await valuesOf(spec, current, find)
  // what begins with a dash would be taken for an option there
  return [...words, ...bare(ended ? values : values.filter(value => !value.startsWith('-')))]
}

const bare = (values: readonly string[]): Candidate[] => values.map(value => ({ value, about: '' }))

function optionsOf(table: OptionTable): Candidate[] {
  return table.entries.flatMap(({ name, spec }) => {
    const names = [name, ...spec.names].map(one => ({ value: dashed(one), about: spec.help }))
    return spec.wire === 'bool' && spec.default === true ? [...names, { value: `--no-${name}`, about: `Not: ${spec.help}` }] : names
  })
}

async function wordsBelow(path: readonly string[], commands: KnownCommands): Promise<Candidate[]> {
  const prefix = path.length === 0 ? '' : `${path.join('/')}/`
  const found = new Map<string, boolean>()
  for (const one of commands.paths.filter(known => known.startsWith(prefix))) {
    const [word = '', ...wordsAfter] = one.slice(prefix.length).split('/')
    found.set(word, wordsAfter.length === 0 || (found.get(word) ?? false))
  }
  // to say what each command does means to import its plugin, so only one group's are asked
  return Promise.all(
    [...found].map(async ([word, isCommand]) => ({
      value: word,
      about: isCommand && path.length > 0 ? ((await commands.entry([...path, word]))?.help ?? '') : ''
    }))
  )
}

function argumentAt(args: Parameters, at: number): ParameterSpec | undefined {
  const specs = Object.values(args).map(({ spec }) => spec)
  return specs[at] ?? (specs.at(-1)?.many ? specs.at(-1) : undefined)
}

async function valuesOf(spec: ParameterSpec, typed: string, find: FindValues): Promise<readonly string[]> {
  if (spec.choices !== undefined) return spec.choices
  if (spec.wire === 'bool') return ['true', 'false']
  switch (spec.format) {
    case 'codec':
      return (await import('../../../core/cid/codecs.ts')).multicodecs.map(({ name }) => name)
    case 'hash':
      return (await import('../../../core/cid/hashes.ts')).hashNames.map(({ name }) => name)
    case 'multibase':
      return (await import('../../../core/cid/bases.ts')).multibases.map(({ name }) => name)
    default:
      return find(spec, typed)
  }
}

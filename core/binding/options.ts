import { globalOptions, namesOf, type ParameterSpec, type Parameters, type WireKind, wireName } from '../contract/params.ts'
import { parseBool, parseFloat64, parseInteger } from '../go/number.ts'
import { goQuote } from '../go/quote.ts'
import { callErrors } from './errors.ts'
import { formatted } from './format.ts'

/** One option as it is known on the wire. */
export interface OptionEntry {
  /** The declared name, e.g. `rawLeaves`. */
  readonly key: string
  /** The first name on the wire, e.g. `raw-leaves`. */
  readonly name: string
  readonly spec: ParameterSpec
}

/** The texts that were given for each option, each name brought to its first; values not looked into yet. */
export type GivenOptions = ReadonlyMap<OptionEntry, readonly string[]>

/** Values by declared name. */
export type OptionValues = Readonly<Record<string, unknown>>

/** The options of one command and the global ones: their names, defaults, and how Go's flags read each. */
export class OptionTable {
  readonly #byName = new Map<string, OptionEntry>()
  /** All options as they are when nothing is said. Shared and frozen. */
  readonly defaults: OptionValues

  /** All options, own ones behind the global ones. */
  get entries(): readonly OptionEntry[] {
    return [...new Set(this.#byName.values())]
  }

  /** Every name of every option. */
  get names(): readonly string[] {
    return [...this.#byName.keys()]
  }

  /** The option of that name, or of that other name. */
  find(name: string): OptionEntry | undefined {
    return this.#byName.get(name)
  }

  constructor(ofCommand: Parameters) {
    const defaults: Record<string, unknown> = {}
    for (const [key, { spec }] of Object.entries({ ...globalOptions, ...ofCommand })) {
      const entry: OptionEntry = { key, name: wireName(key, spec), spec }
      for (const name of namesOf(key, spec)) this.#byName.set(name, entry)
      defaults[key] = spec.default ?? (spec.many ? Object.freeze([]) : undefined)
    }
    this.defaults = Object.freeze(defaults)
  }

  /**
   * Groups the pairs of a query by option. Names that nobody declared are ignored, as the reference does.
   *
   * @throws E_OPTION_TWICE
   */
  gather(pairs: ReadonlyArray<readonly [key: string, value: string]>): GivenOptions {
    const given = new Map<OptionEntry, string[]>()
    const names = new Map<OptionEntry, string>()
    for (const [name, value] of pairs) {
      const entry = this.#byName.get(name)
      if (entry === undefined) continue
      const values = given.get(entry)
      // another alias of the same option replaces what was said; the reference picks one of them at random
      if (values !== undefined && names.get(entry) === name) values.push(value)
      else given.set(entry, [value])
      names.set(entry, name)
    }
    for (const [{ name, spec }, values] of given) if (values.length > 1 && !spec.many) throw callErrors.E_OPTION_TWICE(name, values)
    return given
  }

  /**
   * All options: what was given, read as their kinds say, and the defaults of the others. Formats (a duration) are still text: see
   * {@link formats}.
   *
   * @throws E_OPTION_VALUE
   */
  values(given: GivenOptions): OptionValues {
    if (given.size === 0) return this.defaults
    const values: Record<string, unknown> = { ...this.defaults }
    for (const [entry, texts] of given) {
      const read = texts.map(text => converted(entry, text))
      values[entry.key] = entry.spec.many ? read : read[0]
    }
    return values
  }

  /**
   * Turns the texts of formats into values, in place.
   *
   * @throws the complaint of the format's parser
   */
  formats(given: GivenOptions, values: OptionValues): OptionValues {
    let changed: Record<string, unknown> | undefined
    for (const { key, spec } of given.keys()) {
      if (spec.raw || (spec.format !== 'duration' && spec.format !== 'cid')) continue
      changed ??= { ...values }
      const value = values[key]
      changed[key] = Array.isArray(value) ? value.map(text => formatted(spec, text as string)) : formatted(spec, value as string)
    }
    return changed ?? values
  }
}

function converted({ name, spec: { wire } }: OptionEntry, text: string): unknown {
  try {
    return readers[wire](text)
  } catch {
    throw callErrors.E_OPTION_VALUE(name, text === '' ? 'empty value' : `value ${goQuote(text)}`, wire)
  }
}

const readers: Readonly<Record<WireKind, (text: string) => unknown>> = {
  string: text => text,
  bool: parseBool,
  int: text => Number(parseInteger(text, 32)),
  uint: text => Number(parseInteger(text, 32, false)),
  int64: text => parseInteger(text, 64),
  uint64: text => parseInteger(text, 64, false),
  float64: parseFloat64
}

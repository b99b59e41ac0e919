import { type ParameterSpec, type Parameters, wireName } from '../contract/params.ts'
import { goQuote } from '../go/quote.ts'
import { callErrors } from './errors.ts'
import { formatted } from './format.ts'

interface Position {
  readonly key: string
  readonly name: string
  readonly spec: ParameterSpec
  readonly required: boolean
}

/** Lines of a body that stand for arguments, one at a time; undefined when there are no more. */
export interface Lines {
  next(): Promise<string | undefined>
}

/** The positional arguments of one command, and how words become their values. */
export class ArgumentList {
  readonly #positions: readonly Position[]
  readonly #required: number
  /** Whether the last argument may come in a body. */
  readonly fromBody: boolean

  constructor(args: Parameters) {
    this.#positions = Object.entries(args).map(([key, { spec }]) => ({
      key,
      name: wireName(key, spec),
      spec,
      required: !spec.optional && spec.default === undefined
    }))
    this.#required = this.#positions.filter(position => position.required).length
    this.fromBody = this.#positions.at(-1)?.spec.fromBody ?? false
  }

  /** How many words there is room for. */
  get most(): number {
    return this.#positions.at(-1)?.spec.many ? Number.POSITIVE_INFINITY : this.#positions.length
  }

  /** Whether any number of lines of a body may stand for arguments, not only the first. */
  get takesLines(): boolean {
    const last = this.#positions.at(-1)?.spec
    return last?.fromBody === true && last.many && !last.firstLine
  }

  /** How many arguments are declared. */
  get count(): number {
    return this.#positions.length
  }

  get empty(): boolean {
    return this.#positions.length === 0
  }

  /**
   * Takes a line of the body for each required argument that has no word yet.
   *
   * @throws E_ARGUMENT_MISSING, and what the lines throw
   */
  async require(words: string[], lines: Lines): Promise<void> {
    while (words.length < this.#required) {
      const line = await lines.next()
      if (line === undefined) break
      words.push(line)
    }
    this.check(words)
  }

  /**
   * Takes all other lines, where the last argument may have any number of values.
   *
   * @param most - how many words there may be in all
   * @throws E_ARGUMENTS_TOO_MANY, and what the lines throw
   */
  async takeLines(words: string[], lines: Lines, most: number): Promise<void> {
    const { many, firstLine, trimmed } = this.#positions.at(-1)!.spec
    if (!many || firstLine) return
    for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
      if (words.length >= most) throw callErrors.E_ARGUMENTS_TOO_MANY(most)
      words.push(trimmed ? line.trim() : line)
    }
  }

  /** @throws E_ARGUMENT_MISSING */
  check(words: readonly string[]): void {
    if (words.length < this.#required) throw callErrors.E_ARGUMENT_MISSING(goQuote(this.#nameAt(words.length)))
  }

  /**
   * The values by declared name: words from left to right, the last argument takes all that are left if it may; what is over is ignored.
   * An optional argument is passed over while its word is needed for a required one behind it.
   *
   * @throws the complaint of a format's parser
   */
  values(words: readonly string[]): Readonly<Record<string, unknown>> {
    const values: Record<string, unknown> = {}
    for (const [{ key, spec }, taken] of this.#placed(words)) {
      const formats = taken.map(word => formatted(spec, word))
      if (spec.many) values[key] = taken.length > 0 ? formats : (spec.default ?? [])
      else values[key] = taken.length > 0 ? formats[0] : spec.default
    }
    return values
  }

  /** The words to send for those of a command line; what is over stays as it is. */
  sent(words: readonly string[]): readonly string[] {
    const sent = [...this.#placed(words)].flatMap(([{ spec }, taken]) => (spec.typed === undefined ? taken : taken.map(spec.typed)))
    return [...sent, ...words.slice(sent.length)]
  }

  /** The words of each position, none where it is passed over. */
  *#placed(words: readonly string[]): Generator<readonly [position: Position, words: readonly string[]]> {
    let required = this.#required
    let at = 0
    for (const position of this.#positions) {
      if (position.required) required--
      const left = Math.max(words.length - at - required, 0)
      const taken = words.slice(at, at + (position.spec.many ? left : Math.min(left, 1)))
      yield [position, taken]
      at += taken.length
    }
  }

  #nameAt(index: number): string {
    const required = this.#positions.filter(position => position.required)
    return (required[index] ?? required.at(-1)!).name
  }
}

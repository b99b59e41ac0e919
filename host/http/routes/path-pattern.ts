import { httpErrors } from '../errors.ts'

/** The values of parameters by name, percent-decoded. */
export type Parameters = Readonly<Record<string, string>>

type Segment = { readonly text: string } | { readonly name: string }

const NAME = /^[A-Za-z_]\w*$/
const REST = '*'

/** The path of a route: words, parameters (`:name`) for whole segments, and perhaps a `*` for everything below. */
export class PathPattern {
  readonly text: string
  /** The pattern without the names of its parameters: patterns of one shape fit the same paths. */
  readonly shape: string
  /** The rank that patterns are sorted by, so that the more particular of two that fit one path comes first. */
  readonly rank: string
  /** Whether it ends in `/*`. */
  readonly isPrefix: boolean
  readonly #segments: readonly Segment[]
  /** The pattern without its `/*` where it is words alone: a path is then compared as a whole. */
  readonly #literal: string | undefined

  /** @throws E_PATH_PATTERN */
  constructor(text: string) {
    this.text = text
    const segments = segmentsOf(text)
    this.isPrefix = segments.at(-1) === REST
    this.#segments = (this.isPrefix ? segments.slice(0, -1) : segments).map(segment =>
      segment.startsWith(':') ? { name: segment.slice(1) } : { text: segment }
    )
    const end = this.isPrefix ? REST : ''
    this.shape = [...this.#segments.map(segment => ('text' in segment ? `/${segment.text}` : '/:')), end && `/${end}`].join('')
    this.rank = this.#segments.map(segment => ('text' in segment ? '0' : '1')).join('') + (this.isPrefix ? '2' : '')
    this.#literal = this.parameters.length === 0 ? (this.isPrefix ? text.slice(0, -2) : text) : undefined
  }

  /** The names of its parameters, without the rest. */
  get parameters(): readonly string[] {
    return this.#segments.flatMap(segment => ('name' in segment ? [segment.name] : []))
  }

  /** @param path - still percent-encoded */
  matches(path: string): boolean {
    if (this.#literal !== undefined) return this.isPrefix ? path.startsWith(`${this.#literal}/`) : path === this.#literal
    const segments = path.slice(1).split('/')
    if (this.isPrefix ? segments.length <= this.#segments.length : segments.length !== this.#segments.length) return false
    return this.#segments.every((segment, i) => ('text' in segment ? segment.text === segments[i] : segments[i] !== ''))
  }

  /** Whether a path is what a prefix has below it, but for the slash at the end. */
  isRoot(path: string): boolean {
    return this.isPrefix && (this.#literal === undefined ? !this.matches(path) && this.matches(`${path}/`) : path === this.#literal)
  }

  /**
   * The parameters of a path that {@link matches}; `*` is the rest.
   *
   * @throws E_PATH_ENCODING
   */
  values(path: string): Parameters {
    const segments = path.slice(1).split('/')
    const values: Record<string, string> = {}
    this.#segments.forEach((segment, i) => {
      if ('name' in segment) values[segment.name] = decoded(segments[i]!)
    })
    if (this.isPrefix) values[REST] = decoded(segments.slice(this.#segments.length).join('/'))
    return values
  }
}

/** @throws E_PATH_PATTERN */
function segmentsOf(text: string): readonly string[] {
  const refuse = (why: string) => httpErrors.E_PATH_PATTERN(text, why)
  if (!text.startsWith('/')) throw refuse(`it starts with no slash: write '/${text}'`)
  if (/[^!-~]|[?#]/.test(text)) throw refuse("it holds what no path does: '?', '#', a space, or letters that have to be percent-encoded")
  const segments = text.slice(1).split('/')
  const names = new Set<string>()
  segments.forEach((segment, i) => {
    const isLast = i === segments.length - 1
    if (segment === '.' || segment === '..' || (segment === '' && !isLast))
      throw refuse("it holds '//', '.' or '..', which callers are sent away from")
    if (segment.includes(REST) && !(segment === REST && isLast)) throw refuse("'*' stands for all that is below: only '/*' at the end")
    if (!segment.includes(':')) return
    const name = segment.slice(1)
    if (!segment.startsWith(':') || !NAME.test(name) || name === '__proto__')
      throw refuse(`'${segment}' is no parameter: a whole segment such as ':name'`)
    if (names.has(name)) throw refuse(`two parameters are called '${name}'`)
    names.add(name)
  })
  return segments
}

/** @throws E_PATH_ENCODING */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw httpErrors.E_PATH_ENCODING(text)
  }
}

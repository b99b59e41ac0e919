import type { CID } from 'multiformats/cid'

/** How a value travels: the kinds of flags the wire knows, each with its own syntax and its own complaint. */
export type WireKind = 'bool' | 'int' | 'uint' | 'int64' | 'uint64' | 'float64' | 'string'

/** The kinds of value that a string on the wire stands for: for help, completion, OpenAPI, and the parser that turns it into a value. */
export type Format =
  | 'text'
  | 'duration'
  | 'cid'
  | 'content-path'
  | 'peer-id'
  | 'multiaddr'
  | 'codec'
  | 'hash'
  | 'multibase'
  | 'name'
  | 'file'

/** A command of a running node that knows values, for a shell that completes one. */
export interface Completion {
  /** Its path, e.g. `pin/ls`. */
  readonly command: string
  /** Options and arguments to call it with, by their names on the wire; what was typed so far may have a say in them. */
  options(typed: string): Readonly<Record<string, string>>
  /** The values in one item of its answer. */
  values(item: unknown, typed: string): readonly string[]
}

export interface ParameterSpec {
  readonly wire: WireKind
  readonly format: Format
  readonly help: string
  readonly many: boolean
  readonly optional: boolean
  readonly fromBody: boolean
  /** Whether white space around lines of the body is cut off. It is not in the query, nor from a line that stands in for the query's. */
  readonly trimmed: boolean
  /** Whether only the first line of the body is taken, and only when the query has no value, though any number of values may be given there. */
  readonly firstLine: boolean
  readonly raw: boolean
  /** The words that a command line sends for the word of an argument; undefined: the word. */
  readonly typed: ((word: string) => string) | undefined
  /** Whether it is told to nobody: lists of calls show stars in its place. */
  readonly secret: boolean
  readonly default: unknown
  readonly names: readonly string[]
  readonly wireName: string | undefined
  readonly choices: readonly string[] | undefined
  readonly completion: Completion | undefined
  readonly jsonSchema: Readonly<Record<string, unknown>>
}

/** The values that a position in `args` or a name in `options` accepts. Immutable: every modifier answers a new one. */
export class Parameter<T, Many extends boolean = false, Default extends boolean = false, Opt extends boolean = false> {
  declare readonly phantom: { value: T; many: Many; default: Default; optional: Opt }
  readonly spec: ParameterSpec

  constructor(spec: ParameterSpec) {
    this.spec = spec
  }

  /** Another name for the option: a letter (`r`) or a long name (`name-base`). */
  alias(...names: string[]): Parameter<T, Many, Default, Opt> {
    return new Parameter({ ...this.spec, names: [...this.spec.names, ...names] })
  }

  /** The value that `run` gets when the caller says nothing. */
  default(value: Many extends true ? readonly T[] : T): Parameter<T, Many, true, Opt> {
    return new Parameter({ ...this.spec, default: value })
  }

  /** An argument: takes all that are left (at least one, unless `optional()`). An option: may be repeated. */
  many(): Parameter<T, true, Default, Opt> {
    return new Parameter({ ...this.spec, many: true })
  }

  /** An argument that may be left out. Options always may. */
  optional(): Parameter<T, Many, Default, true> {
    return new Parameter({ ...this.spec, optional: true })
  }

  /**
   * A string argument that a multipart body may carry too, one a line, as `-` or a pipe does on a command line. `trim` cuts white
   * space around the lines, but not around the first when the query has no value, as that line then counts as if it came there;
   * `firstLine` leaves all lines but that one unread.
   */
  fromBody({ trim = false, firstLine = false } = {}): Parameter<T, Many, Default, Opt> {
    return new Parameter({ ...this.spec, fromBody: true, trimmed: trim, firstLine })
  }

  /** Hands `run` the text as it came, for commands where it matters when it is parsed, and what fails first. */
  raw(): Parameter<string, Many, Default, Opt> {
    return new Parameter({ ...this.spec, raw: true })
  }

  /**
   * An argument that is typed in another form than the wire has: `encode` makes what a command line sends of a word. A byte of the word that is no
   * UTF-8 is a lone surrogate in it (`encodeUtf8` of `holdfast/go`).
   *
   * ```ts
   * p.string('The data, over the RPC in hexadecimal.').typed(word => encodeUtf8(word).toString('hex'))
   * ```
   */
  typed(encode: (word: string) => string): Parameter<T, Many, Default, Opt> {
    return new Parameter({ ...this.spec, typed: encode })
  }

  /** A value that lists of calls (`diag/cmds`) do not show. */
  secret(): Parameter<T, Many, Default, Opt> {
    return new Parameter({ ...this.spec, secret: true })
  }

  /** The exact name on the wire, where it is not the declared name in kebab-case. */
  wire(name: string): Parameter<T, Many, Default, Opt> {
    return new Parameter({ ...this.spec, wireName: name })
  }

  /** The values that make sense, for help, completion and OpenAPI. The command still decides about others. */
  oneOf(...choices: string[]): Parameter<T, Many, Default, Opt> {
    return new Parameter({ ...this.spec, choices })
  }

  /**
   * Where a shell finds values while one is typed: a command of the node that runs, and the values in one item of its answer.
   *
   * ```ts
   * p.string('The key.').completedBy('key/list', (item: { Keys: Array<{ Name: string }> }) => item.Keys.map(key => key.Name))
   * ```
   */
  completedBy<I>(
    command: string,
    values: (item: I, typed: string) => readonly string[],
    options: Readonly<Record<string, string>> | ((typed: string) => Readonly<Record<string, string>>) = {}
  ): Parameter<T, Many, Default, Opt> {
    const asked = typeof options === 'function' ? options : () => options
    return new Parameter({ ...this.spec, completion: { command, options: asked, values: (item, typed) => values(item as I, typed) } })
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a record of parameters of any kind
export type AnyParameter = Parameter<any, boolean, boolean, boolean>
export type Parameters = Readonly<Record<string, AnyParameter>>

type ArgumentValue<P> =
  P extends Parameter<infer T, infer M, infer D, infer O>
    ? M extends true
      ? readonly T[]
      : D extends true
        ? T
        : O extends true
          ? T | undefined
          : T
    : never

type OptionValue<P> =
  P extends Parameter<infer T, infer M, infer D, infer _O> ? (M extends true ? readonly T[] : D extends true ? T : T | undefined) : never

export type Arguments<P extends Parameters> = { readonly [K in keyof P]: ArgumentValue<P[K]> }
export type Options<P extends Parameters> = { readonly [K in keyof P]: OptionValue<P[K]> }

const base = {
  many: false,
  optional: false,
  fromBody: false,
  trimmed: false,
  firstLine: false,
  raw: false,
  typed: undefined,
  secret: false,
  default: undefined,
  names: [],
  wireName: undefined,
  choices: undefined,
  completion: undefined
} as const

function make<T>(wire: WireKind, format: Format, help: string, jsonSchema: Record<string, unknown>): Parameter<T> {
  return new Parameter<T>({ ...base, wire, format, help, jsonSchema })
}

const text = (format: Format) => (help: string) =>
  make<string>('string', format, help, format === 'text' ? { type: 'string' } : { type: 'string', format })

/**
 * The vocabulary of arguments and options. Numbers of 64 bits are `bigint`; `int` and `uint` have 32 bits, as the reference's
 * flags do. `duration` is in nanoseconds, written as Go does (`1m30s`). A text that does not parse is the caller's error and names it.
 */
export const p = {
  string: text('text'),
  bool: (help: string) => make<boolean>('bool', 'text', help, { type: 'boolean' }),
  int: (help: string) => make<number>('int', 'text', help, { type: 'integer', minimum: -2147483648, maximum: 2147483647 }),
  uint: (help: string) => make<number>('uint', 'text', help, { type: 'integer', minimum: 0, maximum: 4294967295 }),
  int64: (help: string) => make<bigint>('int64', 'text', help, { type: 'integer', format: 'int64' }),
  uint64: (help: string) => make<bigint>('uint64', 'text', help, { type: 'integer', format: 'uint64', minimum: 0 }),
  float: (help: string) => make<number>('float64', 'text', help, { type: 'number' }),
  duration: (help: string) => make<bigint>('string', 'duration', help, { type: 'string', format: 'duration', examples: ['1m30s'] }),
  cid: (help: string) => make<CID>('string', 'cid', help, { type: 'string', format: 'cid' }),
  contentPath: text('content-path'),
  peerId: text('peer-id'),
  multiaddr: text('multiaddr'),
  codec: text('codec'),
  hash: text('hash'),
  multibase: text('multibase'),
  /** A name such as a key's or a profile's. */
  name: text('name'),
  /** A path of the caller's own machine; the node never opens it. */
  file: text('file')
}

/** `rawLeaves` → `raw-leaves`; a name of one letter stays as it is. */
export function wireName(declared: string, spec: ParameterSpec): string {
  return spec.wireName ?? (declared.length === 1 ? declared : declared.replace(/[A-Z]/g, c => `-${c.toLowerCase()}`))
}

/** Every name under which an option is known, the declared one first. */
export function namesOf(declared: string, spec: ParameterSpec): string[] {
  return [wireName(declared, spec), ...spec.names]
}

/** Options that every command takes; declared here once. */
export const globalOptions = {
  repoDir: p.file('Path of the repo.'),
  configFile: p.file('Path of the configuration file.'),
  config: p.string('The configuration folder.').alias('c'),
  debug: p.bool('Work in debug mode.').alias('D'),
  help: p.bool('Show the full help of the command.'),
  h: p.bool('Show a short help of the command.'),
  local: p.bool('Same as offline.').alias('L'),
  offline: p.bool('Work with what is stored locally only.'),
  api: p.string('Use this RPC address.'),
  apiAuth: p.string('Authorization for the RPC.'),
  cidBase: p.multibase('Multibase for CIDs of version 1 in the answer.'),
  upgradeCidv0InOutput: p.bool('Upgrade CIDs of version 0 to 1 in the answer.').wire('upgrade-cidv0-in-output'),
  encoding: p.string('How the answer is encoded: json, xml, text.').alias('enc').default('json').oneOf('json', 'xml', 'text'),
  streamChannels: p.bool('Stream the answer.'),
  timeout: p.string('Give up after this time, e.g. 10s.')
} satisfies Parameters

export type GlobalOptions = Options<typeof globalOptions>

import type { Logger } from '../services/host/logs.ts'
import type { InitOptions, NodeConfigModel } from '../services/storage/repo.ts'
import type { Needs, Services } from '../token.ts'
import type { Access } from './access.ts'
import type { Body, BodyDeclaration } from './body.ts'
import type { Caller } from './caller.ts'
import type { RpcLevel } from './level.ts'
import type { AnyParameter, Arguments, GlobalOptions, Options, Parameters } from './params.ts'
import type { Item, Reply, Returns } from './reply.ts'

/** How settled an endpoint is; a configuration can switch each status off as a whole. `newer`: the reference has it from a later version than 0.28 on. */
export type Status = 'regular' | 'newer' | 'experimental' | 'deprecated' | 'removed'

/** One running call of a command. */
export interface Call<A = Readonly<Record<string, unknown>>, O = Readonly<Record<string, unknown>>, B = Body | undefined> {
  readonly kind: 'call'
  readonly command: Command
  readonly args: A
  readonly options: O & GlobalOptions
  readonly body: B
  /** Fires when the caller leaves, when its `timeout` is over, or when the host stops; the reason is the error to answer. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** When `timeout` ends the call, in milliseconds since the epoch. */
  readonly deadline: number | undefined
  readonly caller: Caller
}

/** A use of a command, for its help and its reference page. */
export interface Example {
  /** The heading of the example: `Pin a folder under a name`. */
  readonly title: string
  /** A command line behind `holdfast`, with a shell's quotes: `pin add --name=site /ipfs/Qm…`. */
  readonly args: string
}

/** How far a call has come. */
export interface Progress {
  readonly done: number
  /** The value of `done` at the end, where that is known. */
  readonly total?: number | undefined
  /** `bytes`, or what is counted: `nodes`, `blocks`. */
  readonly unit: string
  /** The subject that `done` counts from zero for, e.g. a file's name. When it changes, or `done` falls, what was done before is added. */
  readonly of?: string | undefined
  /** Whether the item says nothing else, so that it is not printed where its progress is shown. */
  readonly only?: boolean | undefined
}

export interface ProgressDeclaration<I, C, O> {
  /** Options to send along while somebody watches, by declared name; those that the caller gave stay. */
  asks?(call: C): Partial<O>
  /** The progress that an item tells of; undefined: nothing. */
  of(item: I, call: C): Progress | undefined
}

/** Items that tell of a failure while the call goes on. */
export interface FailureDeclaration<I, C> {
  /** The text that standard error shows of an item instead of its own; undefined for one that tells of no failure. */
  of(item: I, call: C): string | undefined
  /** The error at the end when there was one. */
  readonly message: string
}

/** Where a command line puts the octets of an answer instead of printing them. */
export interface Saving {
  /** A path of the caller's machine; `-` for standard output. */
  readonly to: string
  /** The octets are a tar archive of one root, and are stored as what is in it: the root under the name of `to`. */
  readonly unpack?: 'tar'
  /** Permissions of the file. Default: those of any new file. */
  readonly mode?: number
  /** A line to print before the work starts. */
  readonly says?: string
}

/** The use that a command makes of blocks. */
export type BlockUse = 'stores' | 'removes' | 'neither'

/** A repo that is about to be made. */
export interface NewRepoPlace {
  /** Absolute path of its folder. */
  readonly path: string
  /** The keys of the node configuration. */
  readonly model: NodeConfigModel
}

type RunBody<B> = B extends BodyDeclaration ? Body : undefined

export interface CommandDeclaration<
  N extends Needs,
  A extends Parameters,
  O extends Parameters,
  R extends Reply,
  B extends BodyDeclaration | undefined
> {
  /** Default `regular`. */
  status?: Status
  /**
   * The use that it makes of blocks. Calls of one that `stores` some hold a lease of the write barrier from their start to the end of their answer, so
   * that no collection takes them; one that `removes` some asks for its removal itself. Default: `stores` for `command.write`, else `neither`.
   */
  blocks?: BlockUse
  /** One sentence for a person. */
  help: string
  examples?: readonly Example[]
  /** Services, by token; injected under these names. */
  needs?: N
  /** Positional arguments in order. */
  args?: A
  options?: O
  /**
   * The levels of the RPC that differ from `args` and `options`: the same parameters under other names, with other defaults, or required where
   * they are optional; an optional option that is left out is unknown there. `run` gets the types of the declaration.
   */
  levels?: {
    readonly [L in RpcLevel]?: {
      readonly args?: { readonly [K in keyof NoInfer<A>]: AnyParameter }
      readonly options?: { readonly [K in keyof NoInfer<O>]?: AnyParameter }
      /** The answer as that level has it: its fields are all that text and XML tell. */
      readonly reply?: Reply
    }
  }
  body?: B
  reply: R
  /**
   * One item as text, for `encoding=text` and the terminal; line ends are its own. Where lines depend on each other, `{ lines }`
   * turns the whole stream.
   */
  text?: TextOf<Item<R>, Call<Arguments<A>, Options<O>, unknown>>
  /** The text that a terminal shows instead of `text`, where the reference's `encoding=text` is not meant for people. */
  terminal?: TextOf<Item<R>, Call<Arguments<A>, Options<O>, unknown>>
  /**
   * Members of items in whose strings `text` and `terminal` see to line ends and tabs themselves, as they quote a name, or mean the lines of a
   * message. In all other strings those are escaped before a terminal's text is made, so that no name can pass for a line of its own.
   */
  escapes?: readonly string[]
  /** The name of an item in `encoding=xml`, e.g. `AddEvent`. */
  xml?: string
  /** How a terminal learns how far the call is. Octets, and files that are sent, are counted without. */
  progress?: ProgressDeclaration<Item<R>, Call<Arguments<A>, Options<O>, unknown>, Options<O>>
  /** How a command line tells items that are failures. */
  failure?: FailureDeclaration<Item<R>, Call<Arguments<A>, Options<O>, unknown>>
  /** Where a command line stores a reply of octets. Without, or for undefined, it prints them. */
  saves?(call: Call<Arguments<A>, Options<O>, unknown>): Saving | undefined
  /**
   * Whether it is for the control of a node: to look at it, or to stop it. Such a command is answered also while other requests hold all their
   * slots, so it waits for nobody and reads no body.
   */
  control?: boolean
  /** Whether it is left out of HTTP, e.g. because it only makes sense beside a terminal. */
  local?: boolean
  /**
   * The parts of a new repo where there is none, of a `local` command that fills a new one, e.g. from another program's. Called before anything is
   * made: what it throws is all that happens. Without it, such a command runs on an empty node in memory there.
   */
  newRepo?(call: Call<Arguments<A>, Options<O>, unknown>, place: NewRepoPlace): Promise<InitOptions>
  /**
   * Whether a call only reads what the repo holds, of a command that may do more: on a command line such a call is answered also where the repo lies on a
   * disk that is full or read-only. Default: those of `command.read`, and no others.
   */
  onlyReads?(call: Call<Arguments<A>, Options<O>, unknown>): boolean
  run(services: Services<N>, call: Call<Arguments<A>, Options<O>, RunBody<B>>): Returns<R>
}

export type TextOf<I, C> = ((item: I, call: C) => string) | { lines(items: AsyncIterable<I>, call: C): AsyncIterable<string> }

/** A declared command, its types put aside: what the host, hooks and generators work with. */
export interface Command {
  /** `pin/add`: under `/api/v0/` on the wire, with spaces on a command line. */
  readonly path: string
  readonly status: Status
  readonly access: Access
  readonly blocks: BlockUse
  readonly help: string
  readonly examples: readonly Example[]
  readonly needs: Needs
  readonly args: Parameters
  readonly options: Parameters
  readonly levels: { readonly [L in RpcLevel]?: { readonly args?: Parameters; readonly options?: Parameters; readonly reply?: Reply } }
  readonly body: BodyDeclaration | undefined
  readonly reply: Reply
  readonly text: TextOf<unknown, Call> | undefined
  readonly terminal: TextOf<unknown, Call> | undefined
  readonly escapes: readonly string[]
  readonly xml: string | undefined
  readonly progress: ProgressDeclaration<unknown, Call, Readonly<Record<string, unknown>>> | undefined
  readonly failure: FailureDeclaration<unknown, Call> | undefined
  readonly saves: ((call: Call) => Saving | undefined) | undefined
  readonly control: boolean
  readonly local: boolean
  readonly newRepo: ((call: Call, place: NewRepoPlace) => Promise<InitOptions>) | undefined
  readonly onlyReads: (call: Call) => boolean
  run(services: Readonly<Record<string, unknown>>, call: Call): unknown
}

declare const declared: unique symbol

/** A command whose types the compiler still knows, for those who write a client of it. */
export interface Declared<A extends Parameters, O extends Parameters, R extends Reply, B> extends Command {
  readonly [declared]?: { readonly args: A; readonly options: O; readonly reply: R; readonly body: B }
}

/** The types of a declared command: `Declaration<typeof hello>`. */
export type Declaration<C> = C extends { readonly [declared]?: infer D } ? NonNullable<D> : never

/** A command as it is declared for a level. */
export function atLevel(command: Command, level: RpcLevel): Command {
  // one made by an older copy of this package knows of none
  const differing = (command.levels as Command['levels'] | undefined)?.[level]
  return differing === undefined ? command : { ...command, ...differing }
}

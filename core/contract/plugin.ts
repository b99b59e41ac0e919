import type { z } from 'zod'
import type { NodeError } from '../errors.ts'
import type { Logger } from '../services/host/logs.ts'
import { Metrics } from '../services/host/metrics.ts'
import { Resources } from '../services/host/resources.ts'
import type { StorageLayout } from '../services/storage/repo.ts'
import { type Need, type Needs, type Services, type Token, token, tokenName, tokenOf } from '../token.ts'
import type { Command, Status } from './command.ts'
import type { Hook } from './hook.ts'
import type { ListenerDeclaration } from './listeners.ts'
import type { RouteDeclaration } from './routes.ts'

/** The version of this contract; a plugin's `api` is a semver range over it. */
export const API_VERSION = '1.0.0'

/**
 * A service that has a life: `start` may assume that everything in its plugin's `requires` has started; `afterStart` that everything of the
 * host has, while no call is answered yet; `stop` that what it requires still runs. One that has taken 10 s (a `stop` of a third party 3 s) since it began, or since it
 * last called `progress`, is given up: `signal` fires.
 */
export interface Startable {
  start?(signal: AbortSignal, progress: () => void): Promise<void> | void
  afterStart?(signal: AbortSignal, progress: () => void): Promise<void> | void
  stop?(signal: AbortSignal, progress: () => void): Promise<void> | void
  /**
   * Give back memory that can be had again, such as a cache's. Called when a process of the node's own, such as the daemon's, has had next to
   * nothing to do for some seconds after work.
   */
  releaseMemory?(): void
}

// biome-ignore lint/suspicious/noExplicitAny: a list of provisions of any service
export type AnyProvision = Provision<any>

/** The storage that a service keeps from one start to the next. */
export interface Kept {
  /** How its content lies there; undefined where nothing outlives the process. */
  readonly layout: StorageLayout | undefined
  /** Layouts of content that it reads and makes its own, such as those of its earlier versions. */
  readonly takesOver?: readonly StorageLayout[]
}

/** Makes a service out of what it needs. */
export interface Maker<T, N extends Needs = Needs> {
  /** Services, by token, under the names that `make` gets them by. The plugin's `requires` gets them by itself. */
  readonly needs?: N
  /**
   * Services without which this one is not provided, and nobody is told of a fault: what works with peers, on a node that has none. Those who
   * can do without need it as `optional`.
   */
  readonly onlyWith?: readonly symbol[]
  /** Called once per host, when all its needs have started. */
  make(services: Services<N>): T
  /**
   * How the service keeps its content, where it keeps some; of a service that wraps another, what it changes of it. The repo remembers it, and a
   * host that would store or read the content otherwise is refused. Called before anything starts, on a host whose repo is a folder.
   *
   * @param settings - the plugin's own
   * @param repo - the repo's folder, which may not be there yet
   */
  keeps?(settings: unknown, repo: string): Kept | Promise<Kept>
}

/** A maker or a ready value that serves a token. */
export interface Provision<T = unknown> {
  readonly token: Token<T>
  readonly maker?: Maker<T>
  readonly value?: T
}

/**
 * A service that a plugin provides, made once per host.
 *
 * ```ts
 * service(Greetings, { needs: { log: Log }, make: ({ log }) => new FriendlyGreetings(log) })
 * service(Counter, MemoryCounter) // a class that needs nothing
 * ```
 *
 * @throws TypeError where the class takes parameters
 */
export function service<T>(of: Token<T>, made: new () => NoInfer<T>): Provision<T>
export function service<T, const N extends Needs = {}>(of: Token<T>, maker: Maker<NoInfer<T>, N>): Provision<T>
export function service<T>(of: Token<T>, by: (new () => T) | Maker<T>): Provision<T> {
  if (typeof by !== 'function') return { token: of, maker: by }
  if (by.length > 0)
    throw new TypeError(
      `service '${tokenName(of)}': the constructor of ${by.name} takes parameters: write service(Token, { needs, make: s => new ${by.name}(…) })`
    )
  return { token: of, maker: { make: () => new by() } }
}

/** A ready value for a token, e.g. a fake in a test. */
export function ready<T>(of: Token<T>, value: NoInfer<T>): Provision<T> {
  return { token: of, value }
}

/** This plugin's own settings, checked and with defaults filled in. A need is typed by `needs: { settings: settings<typeof schema>() }`. */
export const Settings: Token<unknown> = token<unknown>('settings')
export function settings<S extends z.ZodType>(): Token<z.output<S>> {
  return Settings as Token<z.output<S>>
}

/** This plugin's own logger. */
export const Log: Token<Logger> = token<Logger>('log')

/**
 * Keys of the node configuration (`Datastore.HashOnRead`), each with all that lies below it, by when a change of them counts: for what begins
 * after it, or from the next start of the node on.
 */
export interface NodeKeys {
  readonly atOnce?: readonly string[]
  readonly atStart?: readonly string[]
}

export interface PluginDeclaration {
  /** Short and unique on a host: `pins`, `acme-audit`. */
  name: string
  /** Semver range of {@link API_VERSION} that it was written against, e.g. `^1`. */
  api: string
  /** Default `regular`. */
  status?: Status
  /** One sentence for a person. */
  about: string
  /** Off unless the configuration says `on`. Only built-ins can be: others are named by the configuration anyway. */
  offByDefault?: boolean
  /** Whether it talks to other machines by itself: then it is off on a host that runs offline, whatever the configuration says. */
  online?: boolean
  /**
   * Flags of the daemon by the names of its options, and the settings of this plugin that each stands for; of a flag that is a text, it is
   * their value. Only of built-ins.
   */
  flags?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Schema of its block in the host's configuration file. Without one it takes no settings. Objects should be strict. */
  settings?: z.ZodType
  /** The keys of the node configuration that it reads, for those who ask what a key does (`config show --explain`). */
  nodeKeys?: NodeKeys
  /** Tokens that its services are given. Needs of commands are added by themselves. */
  requires?: readonly Need[]
  provides?: readonly AnyProvision[]
  /** Services that only this plugin's services, commands, hooks and routes see. They have a life like those it provides. */
  internal?: readonly AnyProvision[]
  commands?: readonly Command[]
  /** HTTP routes on a named listener, for what is no RPC. */
  routes?: readonly RouteDeclaration[]
  /** HTTP listeners of its own, for routes that name them. */
  listeners?: readonly ListenerDeclaration[]
  /** Functions around calls, those of the plugins loaded first outermost: bare ones around every call, and what {@link hook} makes. */
  around?: readonly Hook[]
  /** Its own errors, as {@link defineErrors} made them. */
  errors?: Readonly<Record<string, (...about: never[]) => NodeError>>
}

export interface Plugin extends Required<Omit<PluginDeclaration, 'settings' | 'errors'>> {
  readonly settings: z.ZodType | undefined
  readonly errors: NonNullable<PluginDeclaration['errors']>
}

/** Declares a plugin; the default export of its module. */
export function plugin(declaration: PluginDeclaration): Plugin {
  return {
    status: 'regular',
    offByDefault: false,
    online: false,
    flags: {},
    nodeKeys: {},
    provides: [],
    internal: [],
    commands: [],
    routes: [],
    listeners: [],
    around: [],
    errors: {},
    ...declaration,
    requires: requiresOf(declaration),
    settings: declaration.settings
  }
}

/** The services that every plugin has of its own. */
export const OF_EVERY_PLUGIN: ReadonlySet<symbol> = new Set([Settings, Log, Metrics, Resources])

/** The services that a plugin requires, declared and by its makers. */
function requiresOf({ requires = [], provides = [], internal = [] }: PluginDeclaration): readonly Need[] {
  const provided = new Set<symbol>([...OF_EVERY_PLUGIN, ...[...provides, ...internal].map(({ token: of }) => of)])
  const all = new Map<symbol, Need>(requires.map(need => [tokenOf(need), need]))
  for (const need of [...provides, ...internal].flatMap(({ maker }) => Object.values<Need>(maker?.needs ?? {}))) {
    const of = tokenOf(need)
    // who needs a service for sure decides, whoever could do without
    if (!provided.has(of) && (typeof need !== 'object' || !all.has(of))) all.set(of, need)
  }
  return [...all.values()]
}

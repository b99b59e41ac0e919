import type { z } from 'zod'
import type { Command, Status } from './command.ts'
import type { NodeError } from './errors.ts'
import type { Hook } from './hook.ts'
import type { ListenerDeclaration, RouteDeclaration } from './routes.ts'
import type { Logger } from './services/logs.ts'
import { Metrics } from './services/metrics.ts'
import { type Need, type Needs, type Services, type Token, token, tokenOf } from './token.ts'

/** The version of this contract; a plugin's `api` is a semver range over it. */
export const API_VERSION = '1.0.0'

/**
 * A service that has a life: `start` may assume that everything in its plugin's `requires` has started; `stop` that it still runs.
 * One that has taken 10 s since it began, or since it last called `progress`, is given up: `signal` fires.
 */
export interface Startable {
  start?(signal: AbortSignal, progress: () => void): Promise<void> | void
  stop?(signal: AbortSignal, progress: () => void): Promise<void> | void
  /**
   * Give back memory that can be had again, such as a cache's. Called when a process of the node's own, such as the daemon's, has had next to
   * nothing to do for some seconds after work.
   */
  rest?(): void
}

// biome-ignore lint/suspicious/noExplicitAny: a constructor of any parameters, as tsyringe resolves them
type Constructor<T> = new (...parameters: any[]) => T

// biome-ignore lint/suspicious/noExplicitAny: a list of provisions of any service
export type AnyProvision = Provision<any>

/** Makes a service out of what it needs. */
export interface Maker<T, N extends Needs = Needs> {
  /** Services, by token, under the names that `make` gets them by. The plugin's `requires` gets them by itself. */
  readonly needs?: N
  /** Called once per host, when all its needs have started. */
  make(services: Services<N>): T
}

/** Says that a class, a maker or a ready value serves a token. */
export interface Provision<T = unknown> {
  readonly token: Token<T>
  readonly implementation?: Constructor<T>
  readonly maker?: Maker<T>
  readonly value?: T
}

/**
 * A service that a plugin provides, made once per host: by a function,
 *
 * ```ts
 * service(Greetings, { needs: { log: Log }, make: ({ log }) => new FriendlyGreetings(log) })
 * ```
 *
 * or of a tsyringe class with `@injectable()` (both exported here too) whose constructor names its needs with `@inject(Token)`.
 */
export function service<T>(of: Token<T>, implementation: Constructor<NoInfer<T>>): Provision<T>
export function service<T, const N extends Needs = {}>(of: Token<T>, maker: Maker<NoInfer<T>, N>): Provision<T>
export function service<T>(of: Token<T>, by: Constructor<T> | Maker<T>): Provision<T> {
  return typeof by === 'function' ? { token: of, implementation: by } : { token: of, maker: by }
}

/** A ready value for a token, e.g. a fake in a test. */
export function ready<T>(of: Token<T>, value: NoInfer<T>): Provision<T> {
  return { token: of, value }
}

/** This plugin's own settings, checked and with defaults filled in. Inject with `@inject(Settings)`, or `needs: { settings: settings<typeof schema>() }`. */
export const Settings: Token<unknown> = token<unknown>('settings')
export function settings<S extends z.ZodType>(): Token<z.output<S>> {
  return Settings as Token<z.output<S>>
}

/** This plugin's own logger. */
export const Log: Token<Logger> = token<Logger>('log')

export interface PluginDeclaration {
  /** Short and unique on a host: `pins`, `acme-audit`. */
  name: string
  /** Semver range of {@link API_VERSION} that it was written against, e.g. `^1`. */
  api: string
  /** Default `regular`. */
  status?: Status
  /** One sentence for a person. */
  about: string
  /** Schema of its block in the host's configuration file. Without one it takes no settings. Objects should be strict. */
  settings?: z.ZodType
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

/** What a plugin says that it requires, and what its makers do. */
function requiresOf({ requires = [], provides = [], internal = [] }: PluginDeclaration): readonly Need[] {
  const own = new Set<symbol>([Settings, Log, Metrics, ...[...provides, ...internal].map(({ token: of }) => of)])
  const all = new Map<symbol, Need>(requires.map(need => [tokenOf(need), need]))
  for (const need of [...provides, ...internal].flatMap(({ maker }) => Object.values<Need>(maker?.needs ?? {}))) {
    const of = tokenOf(need)
    // who needs a service for sure decides, whoever could do without
    if (!own.has(of) && (typeof need !== 'object' || !all.has(of))) all.set(of, need)
  }
  return [...all.values()]
}

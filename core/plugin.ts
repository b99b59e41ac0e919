import type { z } from 'zod'
import type { Command, Status } from './command.ts'
import type { NodeError } from './errors.ts'
import type { Hook } from './hook.ts'
import type { RouteDeclaration } from './routes.ts'
import type { Logger } from './services/logs.ts'
import { type Need, type Token, token } from './token.ts'

/** The version of this contract; a plugin's `api` is a semver range over it. */
export const API_VERSION = '1.0.0'

/** A service that has a life: `start` may assume that everything in its plugin's `requires` has started; `stop` that it still runs. */
export interface Startable {
  start?(signal: AbortSignal): Promise<void> | void
  stop?(signal: AbortSignal): Promise<void> | void
}

// biome-ignore lint/suspicious/noExplicitAny: a constructor of any parameters, as tsyringe resolves them
type Constructor<T> = new (...parameters: any[]) => T

// biome-ignore lint/suspicious/noExplicitAny: a list of provisions of any service
export type AnyProvision = Provision<any>

/** Says that a class, or a ready value, serves a token. */
export interface Provision<T = unknown> {
  readonly token: Token<T>
  readonly implementation?: Constructor<T>
  readonly value?: T
}

/** `implementation` is a tsyringe `@injectable()` class whose constructor names its needs with `@inject(Token)`; made once per host. */
export function service<T>(of: Token<T>, implementation: Constructor<NoInfer<T>>): Provision<T> {
  return { token: of, implementation }
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
  /** Classes that only this plugin's services and commands see. */
  internal?: readonly AnyProvision[]
  commands?: readonly Command[]
  /** HTTP routes on a named listener, for what is no RPC. */
  routes?: readonly RouteDeclaration[]
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
    requires: [],
    provides: [],
    internal: [],
    commands: [],
    routes: [],
    around: [],
    errors: {},
    ...declaration,
    settings: declaration.settings
  }
}

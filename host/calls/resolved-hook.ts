import type { Beyond, Command, HookFunction, Logger } from '../../core/index.ts'

/** A hook with its services. */
export interface ResolvedHook {
  readonly plugin: string
  readonly log: Logger
  /** The things it lies around beside calls. */
  readonly also: ReadonlySet<Beyond>
  only(command: Command): boolean
  readonly run: HookFunction<Beyond>
}

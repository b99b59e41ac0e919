import type { Command, Status } from '../../contract/command.ts'
import type { RpcLevel } from '../../contract/level.ts'
import type { NodeKeys } from '../../contract/plugin.ts'
import { type Token, token } from '../../token.ts'

/** The state of a plugin on this host. `off` and `failed` carry the reason. */
export interface PluginState {
  readonly name: string
  readonly status: Status
  readonly about: string
  readonly state: 'started' | 'off' | 'failed' | 'stopped' | 'loaded'
  /** Why it is off or failed: the setting, the error, or what it needed. */
  readonly reason?: string
  /** Where it came from: `built-in`, or the file or package. */
  readonly from: string
  readonly startedAt?: Date
  /** How long its start took, in milliseconds. */
  readonly startTime?: number
  readonly commands: readonly string[]
  readonly services: readonly string[]
}

/** A command that is declared but answers 404, and the setting that decided so. */
export interface SwitchedOff {
  readonly path: string
  readonly reason: string
  /** Whether nobody switched it off: its plugin is off unless the configuration says otherwise. To callers of the RPC there is no such command. */
  readonly isDefault?: boolean
}

/** A part of the node that reads keys of the node configuration. */
export interface NodeKeyReader {
  /** A plugin's name, or `host`. */
  readonly name: string
  readonly keys: NodeKeys
  /** Why it reads none of them now: it is off, or failed. */
  readonly absent?: string
}

/** The running host, as its plugins see it. */
export interface Host {
  /** holdfast's own version. */
  readonly version: string
  /** The level of the RPC that it speaks: where the versions of the reference answer differently, this one's answer is given. */
  readonly level: RpcLevel
  /** All commands that answer, sorted by path. */
  commands(): readonly Command[]
  /** The commands that are declared and do not answer, sorted by path. */
  switchedOff(): readonly SwitchedOff[]
  /** Every plugin that the configuration or the program knows, those that are off or failed included. */
  plugins(): readonly PluginState[]
  /** The readers of the keys of the node configuration, itself and the plugins that are off or failed included. */
  nodeKeyReaders(): readonly NodeKeyReader[]
  /** Stops the host once the running calls have been answered. Returns at once. @throws E_NO_DAEMON where it is no node that runs */
  shutdown(reason: string): void
}
export const Host: Token<Host> = token<Host>('host')

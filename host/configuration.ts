import type { RpcSettings } from './http/settings.ts'

export type Toggle = boolean | 'on' | 'off'

/** The composition of a host; the form of a `holdfast.config.*` file once it was read and checked (`config/host`). */
export interface HostConfiguration {
  /** The repo's folder. */
  readonly repo?: string
  /** A built-in's name, a status, a file (`./audit.ts`) or a package; a block of settings means on. */
  readonly plugins?: Readonly<Record<string, Toggle | Readonly<Record<string, unknown>>>>
  /** A command's path or a pattern (`object/**`); `{ from }` names the plugin that wins it. */
  readonly commands?: Readonly<Record<string, Toggle | { readonly from: string }>>
  /** The plugin whose provider of a service wins; of several, each wraps the one behind it. */
  readonly services?: Readonly<Record<string, string | readonly string[]>>
  /** The effect on the host of a plugin that cannot be loaded or started; per plugin, with `default` for the rest. */
  readonly onFailure?: OnFailure | Readonly<Record<string, OnFailure>>
  readonly rpc?: Partial<RpcSettings>
  readonly calls?: { readonly finished?: number; readonly blockedMs?: number }
}

/** How many finished calls are remembered at most, where nothing else is said. */
export const FINISHED_CALLS = 1024

/** How long the event loop may be blocked before the log tells of it, in milliseconds, where nothing else is said. */
export const BLOCKED_MS = 1000

export type OnFailure = 'abort' | 'continue'

/** @returns undefined for a block of settings: on, but not said in so many words */
export function toggled(value: Toggle | object | undefined): boolean | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'object') return true
  return value === true || value === 'on'
}

/** @param keys - the plugin's keys in the configuration: its name, and the file or package it was named by */
export function onFailureOf({ onFailure = 'abort' }: Pick<HostConfiguration, 'onFailure'>, ...keys: readonly string[]): OnFailure {
  if (typeof onFailure === 'string') return onFailure
  const key = keys.find(name => onFailure[name] !== undefined) ?? 'default'
  return onFailure[key] ?? 'abort'
}

import { messageOf } from '../../../core/errors.ts'

/** The things that are looked at; docs/command-line.md has a line for each. */
export const checks = [
  'node',
  'configuration',
  'node-config',
  'passphrase',
  'plugins',
  'repo',
  'permissions',
  'lock',
  'kept',
  'store',
  'space',
  'ports',
  'clock',
  'bootstrap',
  'routing',
  'peers',
  'reachability'
] as const

type Check = (typeof checks)[number]

/** The finding about one thing that was looked at. */
export interface Finding {
  readonly check: Check
  /** `warning`: a node works, but somebody should know. */
  readonly state: 'ok' | 'warning' | 'wrong'
  readonly about: string
  readonly remedy?: string
}

export const COLLECT = 'holdfast repo gc removes what nothing keeps.'

export const ok = (check: Check, about: string): Finding => ({ check, state: 'ok', about })
export const warning = (check: Check, about: string, remedy: string): Finding => ({ check, state: 'warning', about, remedy })
export const wrong = (check: Check, about: unknown, remedy: string): Finding => ({
  check,
  state: 'wrong',
  about: typeof about === 'string' ? about : messageOf(about),
  remedy
})

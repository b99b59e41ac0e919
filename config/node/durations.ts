import { parseDuration } from '../../core/go/duration.ts'
import { type Json, messageOf, type NodeConfig } from '../../core/index.ts'
import { valueAt } from './keys.ts'
import { isObject } from './objects.ts'

const SECOND = 1_000_000_000n
const DAY = 86_400n * SECOND

interface Bounds {
  /** Bounds in nanoseconds, both inclusive. */
  readonly least?: bigint
  readonly most?: bigint
  /** The bounds in words. */
  readonly range?: string
}

/** Keys whose text is read as a duration at the start of what uses it; the others are read with the file. `*` is any member. */
const KEYS: Readonly<Record<string, Bounds>> = {
  'Datastore.GCPeriod': { least: 0n, range: 'it is less than nothing' },
  'Ipns.RepublishPeriod': { least: 60n * SECOND, most: DAY, range: 'it is not between 1m and 24h' },
  'Ipns.RecordLifetime': { least: 1n, range: 'it is not longer than nothing' },
  'Pinning.RemoteServices.*.Policies.MFS.RepinInterval': {}
}

/** The errors in durations of a configuration, each with its key; empty ones stand for the default. */
export function durationProblems(config: NodeConfig): readonly string[] {
  return Object.entries(KEYS).flatMap(([pattern, bounds]) =>
    keysOf(config, pattern).flatMap(key => {
      const value = memberAt(config, key)
      const problem = typeof value === 'string' && value !== '' ? problemOf(value, bounds) : undefined
      return problem === undefined ? [] : [`${key} is ${JSON.stringify(value)}: ${problem}`]
    })
  )
}

function keysOf(config: NodeConfig, pattern: string): readonly string[] {
  const [before, after] = pattern.split('.*')
  if (after === undefined) return [pattern]
  const members = memberAt(config, before!)
  return isObject(members) ? Object.keys(members).map(name => `${before}.${name}${after}`) : []
}

function memberAt(config: NodeConfig, key: string): Json | undefined {
  try {
    return valueAt(config, key)
  } catch {
    return undefined
  }
}

function problemOf(text: string, { least, most, range }: Bounds): string | undefined {
  try {
    const duration = parseDuration(text)
    return (least !== undefined && duration < least) || (most !== undefined && duration > most) ? range : undefined
  } catch (error) {
    return messageOf(error)
  }
}

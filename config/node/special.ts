import { formatDuration, parseDuration } from '../../core/go/duration.ts'
import { goQuote } from '../../core/go/quote.ts'
import { type Json, messageOf } from '../../core/index.ts'
import { parsePeerId } from '../../core/keys/index.ts'
import { Refusal, type Scalar } from './types.ts'

const scalar = (zero: Json, allowed: string, read: Scalar['read']): Scalar => ({ kind: 'scalar', zero, allowed, read })

/** A duration in Go's notation, written back in its shortest form; null, "" and "default" are "the default". */
export const optionalDuration = scalar(null, 'a duration such as "1m30s" (units: ns, us, ms, s, m, h), "default" or null', value => {
  if (value === null || value === '' || value === 'default' || value === 'null') return null
  return duration(typeof value === 'string' ? value : JSON.stringify(value))
})

/** A duration that has no default state; a number counts nanoseconds. */
export const plainDuration = scalar('0s', 'a duration such as "1m30s" (units: ns, us, ms, s, m, h)', value => {
  if (typeof value === 'number') return formatDuration(BigInt(Math.trunc(value)))
  if (typeof value === 'string') return duration(value)
  const found =
    value === null ? '<nil>' : typeof value === 'boolean' ? 'bool' : Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
  return new Refusal('', `unable to parse duration, expected a duration string or a float, but got ${found}`)
})

function duration(text: string): Json | Refusal {
  try {
    return formatDuration(parseDuration(text))
  } catch (error) {
    return new Refusal('', messageOf(error))
  }
}

/** A text that has to be a peer ID, or a multiaddr, in the words of whoever reads it. */
const readable = (allowed: string, read: (text: string) => unknown) =>
  scalar('', allowed, value => {
    if (value === null) return ''
    if (typeof value !== 'string') return new Refusal('string')
    try {
      read(value)
      return value
    } catch (error) {
      return new Refusal('', messageOf(error))
    }
  })

export const peerId = readable('a peer ID such as 12D3KooW…', parsePeerId)
/** Its parts are read where it is dialled. */
export const multiaddr = readable('a multiaddr such as /ip4/192.0.2.1/tcp/4001', text => {
  if (!text.startsWith('/')) throw new Error(`failed to parse multiaddr ${goQuote(text)}: must begin with /`)
})

export const autoNatMode = scalar('', '"enabled", "disabled" or "" (the default)', value => {
  if (value === null) return ''
  if (typeof value !== 'string') return new Refusal('*config.AutoNATServiceMode')
  return ['', 'enabled', 'disabled'].includes(value) ? value : new Refusal('', `unknown autonat mode: ${value}`)
})

/** A key that is gone: its empty forms are tolerated and dropped, anything else is refused, so that no wish goes unheard. */
export const removed = (key: string, instead: string) =>
  scalar(null, `nothing: the key is gone; ${instead}`, value => {
    const empty = value === null || (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0)
    return empty ? null : new Refusal('', `${key} was removed and must be empty or absent; ${instead}`)
  })

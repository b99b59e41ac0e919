import { goErrors } from '../go/errors.ts'
import { goQuote } from '../go/quote.ts'

const SECOND = 1_000_000_000n
const MILLISECOND = 1_000_000n

/** The layout that records are written in, as Go names it (boxo 0.19, util/time.go). */
const LAYOUT = '2006-01-02T15:04:05.999999999Z07:00'

/** The parts of a time in their order: a pattern, and what Go's layout calls it. */
const PARTS = [
  [/^\d{4}/, '2006'],
  [/^-/, '-'],
  [/^\d{2}/, '01'],
  [/^-/, '-'],
  [/^\d{2}/, '02'],
  [/^T/, 'T'],
  [/^\d{2}/, '15'],
  [/^:/, ':'],
  [/^\d{2}/, '04'],
  [/^:/, ':'],
  [/^\d{2}/, '05'],
  [/^(?:[.,]\d{1,9}\d{0,99})?/, ''],
  [/^(?:Z|[+-]\d{2}:\d{2})/, 'Z07:00']
] as const

/**
 * The nanoseconds since 1970 of a time as Go reads RFC 3339: `2026-01-02T03:04:05.678Z`, `…+02:00`.
 *
 * @throws E_TIME
 */
export function parseTime(text: string): bigint {
  const refuse = (why: string) => goErrors.E_TIME(goQuote(text), why)
  const found: string[] = []
  let unread = text
  for (const [pattern, name] of PARTS) {
    const part = pattern.exec(unread)?.[0]
    if (part === undefined) throw refuse(` as ${goQuote(LAYOUT)}: cannot parse ${goQuote(unread)} as ${goQuote(name)}`)
    found.push(part)
    unread = unread.slice(part.length)
  }
  if (unread !== '') throw refuse(`: extra text: ${goQuote(unread)}`)
  const [year, month, day, hour, minute, second] = [0, 2, 4, 6, 8, 10].map(at => Number(found[at]))
  const names = { month: within(month!, 1, 12), hour: within(hour!, 0, 23), minute: within(minute!, 0, 59), second: within(second!, 0, 59) }
  for (const [name, isWithin] of Object.entries(names)) if (!isWithin) throw refuse(`: ${name} out of range`)
  const date = new Date(0)
  date.setUTCFullYear(year!, month! - 1, day)
  if (date.getUTCDate() !== day) throw refuse(': day out of range')
  date.setUTCHours(hour!, minute!, second!)
  const nanoseconds = BigInt(found[11]!.slice(1, 10).padEnd(9, '0'))
  return BigInt(date.getTime()) * MILLISECOND + nanoseconds - offsetOf(found[12]!)
}

const within = (value: number, least: number, most: number) => value >= least && value <= most

function offsetOf(zone: string): bigint {
  if (zone === 'Z') return 0n
  const minutes = BigInt(zone.slice(1, 3)) * 60n + BigInt(zone.slice(4))
  return minutes * 60n * SECOND * (zone.startsWith('-') ? -1n : 1n)
}

/** Nanoseconds since 1970 as RFC 3339 in UTC, without zeros at the end of the second. */
export function formatTime(nanoseconds: bigint): string {
  const fraction = BigInt.asUintN(64, ((nanoseconds % SECOND) + SECOND) % SECOND)
  const date = new Date(Number((nanoseconds - fraction) / MILLISECOND))
  const digits = fraction === 0n ? '' : `.${fraction.toString().padStart(9, '0')}`.replace(/0{1,9}$/, '')
  return date.toISOString().replace('.000Z', `${digits}Z`)
}

/** Nanoseconds since 1970, now. */
export function nowInNanoseconds(): bigint {
  return BigInt(Date.now()) * MILLISECOND
}

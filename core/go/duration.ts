import { goErrors } from './errors.ts'
import { trimRight } from './trim.ts'
import { byteString } from './utf8.ts'

const NANOSECOND = 1n
const MICROSECOND = 1000n
const MILLISECOND = 1_000_000n
const SECOND = 1_000_000_000n
const MINUTE = 60n * SECOND
const HOUR = 60n * MINUTE
const LIMIT = 1n << 63n

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', NANOSECOND],
  ['us', MICROSECOND],
  [byteString('\u00b5s'), MICROSECOND],
  [byteString('\u03bcs'), MICROSECOND],
  ['ms', MILLISECOND],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR]
])

/**
 * Nanoseconds of a duration as Go's `time.ParseDuration` reads it: `300ms`, `-1.5h`, `1m30s`.
 *
 * @throws E_DURATION_INVALID, E_DURATION_NO_UNIT, E_DURATION_UNIT
 */
export function parseDuration(text: string): bigint {
  const whole = byteString(text)
  const invalid = () => goErrors.E_DURATION_INVALID(quoted(whole))
  const [, sign, body] = /^([-+]?)(.*)$/s.exec(whole)!
  if (body === '0') return 0n
  if (body === '') throw invalid()
  let total = 0n
  for (let at = 0; at < body!.length; ) {
    const [number, int, fraction] = /^(\d*)(?:\.(\d*))?/.exec(body!.slice(at))!
    if (!int && !fraction) throw invalid()
    at += number.length
    const unit = /^[^.\d]*/.exec(body!.slice(at))![0]
    if (unit === '') throw goErrors.E_DURATION_NO_UNIT(quoted(whole))
    at += unit.length
    const scale = UNITS.get(unit)
    if (scale === undefined) throw goErrors.E_DURATION_UNIT(quoted(unit), quoted(whole))
    total += BigInt((int || '0').slice(0, 40)) * scale + part(fraction ?? '', scale)
    if ((int ?? '').replace(/^0+/, '').length > 20 || total > LIMIT) throw invalid()
  }
  if (sign === '-') return -total
  if (total === LIMIT) throw invalid()
  return total
}

/** The length of a fraction of a unit, in nanoseconds; digits that 64 bits cannot hold are dropped, as Go does. */
function part(digits: string, scale: bigint): bigint {
  let value = 0n
  let over = 1
  for (const digit of digits) {
    if (value > (LIMIT - 1n) / 10n) break
    value = value * 10n + BigInt(digit)
    over *= 10
  }
  return BigInt(Math.trunc(Number(value) * (Number(scale) / over)))
}

/** Go's `time` package quotes with `\xNN` for everything that is not printable ASCII. */
function quoted(bytes: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
  return `"${bytes.replace(/["\\]/g, '\\$&').replace(/[\x00-\x1f\x80-\xff]/g, hexEscape)}"`
}

function hexEscape(char: string): string {
  return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`
}

/** Nanoseconds as Go's `time.Duration` prints them: `1h2m3.5s`, `1.5µs`, `0s`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s'
  const sign = nanoseconds < 0n ? '-' : ''
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds
  if (size < MICROSECOND) return `${sign}${size}ns`
  if (size < MILLISECOND) return `${sign}${decimal(size, 3)}µs`
  if (size < SECOND) return `${sign}${decimal(size, 6)}ms`
  const seconds = `${decimal(size % MINUTE, 9)}s`
  if (size < MINUTE) return sign + seconds
  const minutes = `${(size / MINUTE) % 60n}m${seconds}`
  return size < HOUR ? sign + minutes : `${sign}${size / HOUR}h${minutes}`
}

/** `value` / 10^`places`, without zeros at its end. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0')
  const fraction = trimRight(digits.slice(-places), '0')
  return digits.slice(0, -places) + (fraction && `.${fraction}`)
}

import { gatewayErrors } from '../errors.ts'

/** Bytes of a body: the first, and how many. */
export interface Span {
  readonly start: bigint
  readonly length: bigint
}

/** A range as it was asked for: from a byte on, perhaps to one, or so many at the end. */
type Asked = { readonly from: bigint; readonly to: bigint | undefined } | { readonly last: bigint }

/** Digits of a number that counts bytes. A longer one is beyond the end of every file. */
const MOST_DIGITS = 19
const BEYOND = 10n ** BigInt(MOST_DIGITS)

/** A range's unit, a token, and what follows it (RFC 9110, 14.1). */
const UNIT = /^([!#$%&'*+\-.^_`|~\w]+)=(.*)$/s

/**
 * The ranges that a `Range` field asks for.
 *
 * @returns undefined where it asks for nothing, or in another unit than bytes, which is ignored (RFC 9110, 14.2)
 * @throws E_GATEWAY_RANGE for one that cannot be read
 */
export function parseRanges(field: string | undefined): readonly Asked[] | undefined {
  if (field === undefined) return undefined
  const [, unit, set] = UNIT.exec(field) ?? []
  if (unit === undefined || set === undefined) throw gatewayErrors.E_GATEWAY_RANGE()
  if (unit.toLowerCase() !== 'bytes') return undefined
  const asked = set
    .split(',')
    .map(text => text.trim())
    .filter(text => text !== '')
    .map(parseRange)
  return asked.length === 0 ? undefined : asked
}

function parseRange(text: string): Asked {
  const [start, end, ...more] = text.split('-').map(part => part.trim())
  if (start === undefined || end === undefined || more.length > 0) throw gatewayErrors.E_GATEWAY_RANGE()
  if (start === '') return { last: numberOf(end) }
  const from = numberOf(start)
  const to = end === '' ? undefined : numberOf(end)
  if (to !== undefined && to < from) throw gatewayErrors.E_GATEWAY_RANGE()
  return { from, to }
}

function numberOf(text: string): bigint {
  if (!/^\d+$/.test(text)) throw gatewayErrors.E_GATEWAY_RANGE()
  const digits = text.replace(/^0+/, '')
  return digits.length > MOST_DIGITS ? BEYOND : BigInt(digits)
}

/** Which bytes of a body are sent. */
export type Spans =
  | { readonly kind: 'all' }
  /** Nothing of what was asked for is there. */
  | { readonly kind: 'none' }
  | { readonly kind: 'some'; readonly spans: readonly Span[] }

/** @param most - of ranges; all is sent where more are asked for, or they are more than the body together */
export function spansOf(asked: readonly Asked[] | undefined, size: bigint, most: number): Spans {
  if (asked === undefined || size === 0n || asked.length > most) return { kind: 'all' }
  const spans = asked.map(range => spanOf(range, size)).filter(span => span !== undefined)
  if (spans.length === 0) return { kind: 'none' }
  const sum = spans.reduce((total, { length }) => total + length, 0n)
  return sum > size ? { kind: 'all' } : { kind: 'some', spans }
}

function spanOf(range: Asked, size: bigint): Span | undefined {
  if ('last' in range) {
    const length = range.last < size ? range.last : size
    return length === 0n ? undefined : { start: size - length, length }
  }
  if (range.from >= size) return undefined
  const to = range.to === undefined || range.to >= size ? size - 1n : range.to
  return { start: range.from, length: to - range.from + 1n }
}

export function contentRange({ start, length }: Span, size: bigint): string {
  return `bytes ${start}-${start + length - 1n}/${size}`
}

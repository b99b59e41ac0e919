import { goErrors } from './errors.ts'
import { goQuote } from './quote.ts'

const PREFIXES: Readonly<Record<string, number>> = { x: 16, o: 8, b: 2 }

/**
 * An integer of `bits` bits as Go's `strconv.ParseInt` (`signed`) or `ParseUint` reads it. Base 0, the default, takes the base from
 * the text: decimal, `0x`, `0o` or a leading `0`, `0b`, with `_` between digits.
 *
 * @throws E_NUMBER_SYNTAX, E_NUMBER_RANGE
 */
export function parseInteger(text: string, bits = 64, signed = true, base = 0): bigint {
  const name = signed ? 'ParseInt' : 'ParseUint'
  const syntax = () => goErrors.E_NUMBER_SYNTAX(name, goQuote(text))
  const negative = signed && text.startsWith('-')
  const unsigned = signed ? text.replace(/^[-+]/, '') : text
  const range = negative ? 1n << BigInt(bits - 1) : (1n << BigInt(signed ? bits - 1 : bits)) - 1n
  const [digits, radix] = base === 0 ? basePrefix(unsigned) : [unsigned, base]
  if (digits === '') throw syntax()
  const most = (1n << BigInt(bits)) - 1n
  let value = 0n
  for (const char of digits) {
    if (char === '_' && base === 0) continue
    const digit = /^[0-9a-z]$/i.test(char) ? Number.parseInt(char, 36) : radix
    if (digit >= radix) throw syntax()
    value = value * BigInt(radix) + BigInt(digit)
    if (value > most) throw goErrors.E_NUMBER_RANGE(name, goQuote(text))
  }
  if (base === 0 && digits.includes('_') && !underscoresFit(unsigned)) throw syntax()
  if (value > range) throw goErrors.E_NUMBER_RANGE(name, goQuote(text))
  return negative ? -value : value
}

function basePrefix(text: string): [digits: string, radix: number] {
  if (text[0] !== '0') return [text, 10]
  const radix = text.length >= 3 ? PREFIXES[text[1]!.toLowerCase()] : undefined
  if (radix !== undefined) return [text.slice(2), radix]
  return text.length === 1 ? [text, 8] : [text.slice(1), 8]
}

function underscoresFit(text: string): boolean {
  return /^(?:0[box]_?)?[0-9a-f]+(?:_[0-9a-f]+)*$/i.test(text)
}

const SPECIAL: Readonly<Record<string, number>> = { inf: Number.POSITIVE_INFINITY, infinity: Number.POSITIVE_INFINITY, nan: Number.NaN }

/**
 * A number as Go's `strconv.ParseFloat` reads it: decimal or hexadecimal (`0x1p-2`), `_` between digits, `inf`, `nan`.
 *
 * @throws E_NUMBER_SYNTAX, E_NUMBER_RANGE
 */
export function parseFloat64(text: string): number {
  const [, sign, body] = /^([-+]?)(.*)$/s.exec(text.toLowerCase())!
  const special = SPECIAL[body!]
  const size = special ?? (body!.startsWith('0x') ? hexFloat(body!) : decimalFloat(body!))
  if (size === undefined) throw goErrors.E_NUMBER_SYNTAX('ParseFloat', goQuote(text))
  if (size === Number.POSITIVE_INFINITY && special === undefined) throw goErrors.E_NUMBER_RANGE('ParseFloat', goQuote(text))
  return sign === '-' ? -size : size
}

function decimalFloat(text: string): number | undefined {
  if (!/^(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[-+]?\d[\d_]*)?$/.test(text) || /_(?!\d)|[^\d]_/.test(text)) return undefined
  return Number(text.replaceAll('_', ''))
}

function hexFloat(text: string): number | undefined {
  const match = /^0x(_?[\da-f][\da-f_]*)?(?:\.([\da-f_]*))?p([-+]?\d[\d_]*)$/.exec(text)
  if (!match || /_(?![\da-f])|[^\da-fx]_/.test(text)) return undefined
  const [int, fraction, power] = [match[1] ?? '', match[2] ?? '', match[3]!].map(part => part.replaceAll('_', ''))
  if (int === '' && fraction === '') return undefined
  return scaled(BigInt(`0x0${int}${fraction}`), Number(power) - 4 * fraction!.length)
}

/** `mantissa` × 2^`power`, rounded once. */
function scaled(mantissa: bigint, power: number): number {
  if (mantissa === 0n) return 0
  const top = mantissa.toString(2).length + power
  if (top > 1024) return Number.POSITIVE_INFINITY
  if (top < -1080) return 0
  return power >= 0 ? Number(mantissa << BigInt(power)) : ratio(mantissa, -power)
}

/** `mantissa` / 2^`power` to the nearest number, ties to even, also among the subnormal ones. */
function ratio(mantissa: bigint, power: number): number {
  const length = mantissa.toString(2).length
  const drop = Math.max(length - 53, power - 1074, 0)
  const kept = mantissa >> BigInt(drop)
  const dropped = mantissa - (kept << BigInt(drop))
  const half = drop > 0 ? 1n << BigInt(drop - 1) : 1n
  const up = drop > 0 && (dropped > half || (dropped === half && (kept & 1n) === 1n)) ? 1n : 0n
  const exponent = drop - power
  const split = Math.max(exponent, -1000)
  return Number(kept + up) * 2 ** split * 2 ** (exponent - split)
}

/**
 * A flag's truth: nothing, `1`, `t`, `true` or `0`, `f`, `false`, in any case.
 *
 * @throws E_NUMBER_SYNTAX
 */
export function parseBool(text: string): boolean {
  switch (text.toLowerCase()) {
    case '':
    case '1':
    case 't':
    case 'true':
      return true
    case '0':
    case 'f':
    case 'false':
      return false
    default:
      throw goErrors.E_NUMBER_SYNTAX('ParseBool', goQuote(text))
  }
}

/** A number as Go's `encoding/json` prints a float64. */
export function formatFloat64(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

/** A number as Go's `encoding/json` prints a float32: the shortest decimal that names it among 32-bit numbers. */
export function formatFloat32(value: number): string {
  const single = Math.fround(value)
  for (let digits = 1; digits <= 9 && single !== 0; digits++) {
    const near = Number(single.toPrecision(digits))
    if (Math.fround(near) === single) return formatFloat64(near)
  }
  return formatFloat64(single)
}

import { view } from './types.ts'

/** Bytes, or digits, up to which the schoolbook way is the fastest; beyond, it would take quadratic time. */
const SMALL = 128
/** Digits that the schoolbook way handles at once. */
const GROUP = 4
/** Digits that a leaf of the divided conversion makes at once. */
const LEAF = 64
/** Digits of it that are worked on as a number that is exact: no alphabet here has more than 58, and 58^8 is below 2^53. */
const EXACT = 8

/** `bytes` as one big number in base `alphabet.length`, with a zero digit for each zero byte in front. */
export function toRadix(bytes: Uint8Array, alphabet: string): string {
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++
  const significant = zeros === 0 ? bytes : bytes.subarray(zeros)
  const lead = alphabet[0]!.repeat(zeros)
  if (significant.length === 0) return lead
  return lead + (significant.length <= SMALL ? shortToRadix(significant, alphabet) : longToRadix(significant, alphabet))
}

/**
 * Three bytes go in at a time and four digits come out: both are below 2^24, as no alphabet here has more than 58 digits, so that a
 * product of two is exact.
 */
function shortToRadix(bytes: Uint8Array, alphabet: string): string {
  const { length: radix } = alphabet
  const limit = radix ** GROUP
  // Four digits hold at least twenty bits.
  const groups = new Float64Array(Math.ceil((bytes.length * 8) / 20) + 1)
  let used = 0
  let at = 0
  // What does not fill three bytes goes first.
  for (let size = bytes.length % 3 || 3; at < bytes.length; size = 3) {
    let carry = 0
    for (let i = 0; i < size; i++) carry = carry * 256 + bytes[at++]!
    const scale = size === 3 ? 0x1000000 : 256 ** size
    for (let i = 0; i < used; i++) {
      const value = groups[i]! * scale + carry
      carry = Math.floor(value / limit)
      groups[i] = value - carry * limit
    }
    for (; carry > 0; carry = Math.floor(carry / limit)) groups[used++] = carry % limit
  }
  const text = Buffer.allocUnsafe(used * GROUP)
  let start = text.length
  for (let i = 0; i < used; i++) {
    let group = groups[i]! | 0
    for (let n = 0; n < GROUP; n++) {
      const quotient = (group / radix) | 0
      text[--start] = alphabet.charCodeAt(group - quotient * radix)
      group = quotient
    }
  }
  while (text[start] === alphabet.charCodeAt(0)) start++
  return text.subarray(start).toString('latin1')
}

function longToRadix(bytes: Uint8Array, alphabet: string): string {
  const radix = BigInt(alphabet.length)
  const powers = [radix ** BigInt(LEAF)]
  const number = BigInt(`0x${view(bytes).toString('hex')}`)
  while (powers.at(-1)! <= number) powers.push(powers.at(-1)! ** 2n)
  const convert = (value: bigint, level: number): string => {
    if (level < 0) return leaf(value, alphabet, radix)
    const power = powers[level]!
    return convert(value / power, level - 1) + convert(value % power, level - 1)
  }
  const text = convert(number, powers.length - 1)
  let start = 0
  while (text[start] === alphabet[0]) start++
  return text.slice(start)
}

function leaf(value: bigint, alphabet: string, radix: bigint): string {
  const size = Number(radix)
  const limit = radix ** BigInt(EXACT)
  let text = ''
  for (let remaining = value; remaining > 0n; remaining /= limit) {
    let digits = ''
    for (let group = Number(remaining % limit); group > 0; group = Math.floor(group / size)) digits = alphabet[group % size] + digits
    text = digits.padStart(EXACT, alphabet[0]) + text
  }
  return text.padStart(LEAF, alphabet[0])
}

/** The bytes of a big number given by its digits (values, not characters), with a zero byte for each zero digit in front. */
export function fromRadix(digits: Uint8Array, radix: number): Uint8Array {
  let zeros = 0
  while (zeros < digits.length && digits[zeros] === 0) zeros++
  const significant = digits.subarray(zeros)
  const value = significant.length <= SMALL ? shortFromRadix(significant, radix) : longFromRadix(significant, radix)
  const bytes = new Uint8Array(zeros + value.length)
  bytes.set(value, zeros)
  return bytes
}

function shortFromRadix(digits: Uint8Array, radix: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((digits.length * Math.log2(radix)) / 8))
  let used = 0
  for (const digit of digits) {
    let carry = digit
    for (let i = 0; i < used || carry > 0; i++) {
      carry += bytes[i]! * radix
      bytes[i] = carry & 255
      carry >>= 8
      if (i >= used) used = i + 1
    }
  }
  return bytes.subarray(0, used).reverse()
}

function longFromRadix(digits: Uint8Array, radix: number): Uint8Array {
  const convert = (from: number, to: number): bigint => {
    if (to - from <= LEAF) {
      let value = 0n
      for (let at = from; at < to; at += EXACT) {
        const end = Math.min(at + EXACT, to)
        let group = 0
        for (let i = at; i < end; i++) group = group * radix + digits[i]!
        value = value * BigInt(radix ** (end - at)) + BigInt(group)
      }
      return value
    }
    const low = LEAF * 2 ** (Math.ceil(Math.log2((to - from) / LEAF)) - 1)
    return convert(from, to - low) * power(low) + convert(to - low, to)
  }
  const powers = new Map<number, bigint>()
  const power = (exponent: number): bigint => {
    const known = powers.get(exponent)
    if (known !== undefined) return known
    const made = exponent <= LEAF ? BigInt(radix) ** BigInt(exponent) : power(exponent / 2) ** 2n
    powers.set(exponent, made)
    return made
  }
  const hex = convert(0, digits.length).toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

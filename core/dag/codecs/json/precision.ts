import { trimRight } from '../../../go/trim.ts'

/** Digits that a float can be asked for. */
const MOST_DIGITS = 100

/** Whether a float is the decimal number that was written, as far as it was: rounded to as many digits, it has the same. */
export function isExact(text: string, value: number): boolean {
  const written = decimalOf(text)
  if (written.digits === '' || value === 0) return written.digits === '' && value === 0
  if (written.digits.length > MOST_DIGITS) return false
  const kept = decimalOf(value.toPrecision(written.digits.length))
  return kept.digits === written.digits && kept.exponent === written.exponent
}

/** A number as 0.DIGITS × 10^exponent, without its sign and without zeros at either end of the digits. */
function decimalOf(text: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = (text.startsWith('-') ? text.slice(1) : text).toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const all = whole + fraction
  const zeros = leading(all)
  const digits = trimRight(all.slice(zeros), '0')
  return { digits, exponent: digits === '' ? 0 : whole.length - zeros + Number(power) }
}

function leading(digits: string): number {
  let zeros = 0
  while (digits[zeros] === '0') zeros++
  return zeros
}

import { goErrors } from './errors.ts'
import { parseFloat64 } from './number.ts'

const SI = 1000
const IEC = 1024
const POWERS = ['k', 'm', 'g', 't', 'p', 'e'] as const

const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ...POWERS.flatMap(
    (letter, i): Array<[string, number]> => [
      [letter, SI ** (i + 1)],
      [`${letter}b`, SI ** (i + 1)],
      [`${letter}i`, IEC ** (i + 1)],
      [`${letter}ib`, IEC ** (i + 1)]
    ]
  )
])

const MOST = 2 ** 64

/**
 * A number of bytes as go-humanize 1.0.1 reads it: `10GB` (powers of 1000), `256kiB` (powers of 1024), `1.5 MB`, `5,000`; units without
 * regard to case.
 *
 * @throws E_NUMBER_SYNTAX, E_SIZE_UNIT, E_SIZE_TOO_LARGE
 */
export function parseBytes(text: string): bigint {
  const digits = /^[\d.,]*/.exec(text)![0]
  const number = parseFloat64(digits.replaceAll(',', ''))
  const unit = text.slice(digits.length).trim().toLowerCase()
  const scale = UNITS.get(unit)
  if (scale === undefined) throw goErrors.E_SIZE_UNIT(unit)
  const size = number * scale
  if (size >= MOST) throw goErrors.E_SIZE_TOO_LARGE(text)
  return BigInt(Math.trunc(size))
}

const NAMES = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'] as const

/** A number of bytes for a person, as go-humanize 1.0.1 writes it, in powers of 1000: `999 B`, `1.5 kB`, `20 kB`. */
export function formatBytes(size: number | bigint): string {
  let scaled = Number(size)
  if (scaled < 10) return `${scaled} B`
  let power = 0
  for (; scaled >= SI && power < NAMES.length - 1; power++) scaled = Number(size) / SI ** (power + 1)
  const tenths = Math.floor(scaled * 10 + 0.5) / 10
  return `${tenths < 10 ? tenths.toFixed(1) : roundToEven(tenths)} ${NAMES[power]}`
}

/** Go prints a half as the even number beside it. */
function roundToEven(value: number): number {
  const below = Math.floor(value)
  if (value - below !== 0.5) return Math.round(value)
  return below % 2 === 0 ? below : below + 1
}

import { hasCode } from '../../errors.ts'
import { goErrors } from '../../go/errors.ts'
import { parseInteger } from '../../go/number.ts'
import { goQuote } from '../../go/quote.ts'
import { importErrors } from '../import/errors.ts'
import { BuzhashCutter } from './buzhash.ts'
import { type Cutter, FixedCutter } from './cutter.ts'
import { RABIN_WINDOW, type RabinSpec, rabinCutters } from './rabin.ts'

/** Largest chunk a chunker may make, in bytes (boxo 0.19, chunker). */
export const MAX_CHUNK = 1_048_576
/** The same since Kubo 0.42: a block of 2 MiB, and room for what stands around its bytes. */
export const MOST_IN_CHUNK = 2_096_896
const DEFAULT_CHUNK = 262_144

/** Makes a cutter for each file. */
export type Chunker = () => Cutter

/**
 * How files are cut: `size-N`, `rabin`, `rabin-AVG`, `rabin-MIN-AVG-MAX`, `buzhash`; nothing and `default` mean `size-262144` (boxo 0.19,
 * chunker/parse).
 *
 * @param most - bytes that a chunk may have
 * @throws E_CHUNKER_…, E_RABIN_…, E_NUMBER_SYNTAX, E_NUMBER_RANGE
 */
export function parseChunker(text: string, most: number = MAX_CHUNK): Chunker {
  if (text === '' || text === 'default') return fixed(DEFAULT_CHUNK)
  if (text.startsWith('size-')) {
    const size = decimal(text.split('-')[1]!)
    if (size <= 0) throw importErrors.E_CHUNKER_SIZE()
    return fixed(within(size, most))
  }
  if (text.startsWith('rabin')) return rabin(parseRabin(text.split('-'), most), most)
  if (text === 'buzhash') return () => new BuzhashCutter()
  throw importErrors.E_CHUNKER_UNKNOWN(text)
}

function fixed(size: number): Chunker {
  return () => new FixedCutter(size)
}

/** An average below 48 leaves no room for the window before the least: then the reference cuts nothing at all. */
function rabin(spec: RabinSpec, most: number): Chunker {
  return spec.min < RABIN_WINDOW ? fixed(most + 1) : rabinCutters(spec)
}

function parseRabin(parts: readonly string[], most: number): RabinSpec {
  if (parts.length === 1) return rabinAround(DEFAULT_CHUNK)
  if (parts.length === 2) {
    const average = decimal(parts[1]!)
    within(Math.trunc(Math.fround(Math.fround(average) * 1.5)), most)
    return rabinAround(average)
  }
  if (parts.length !== 4) throw importErrors.E_RABIN_FORMAT()
  const min = labelled(parts[1]!, 'first', 'min')
  if (min < RABIN_WINDOW) throw importErrors.E_RABIN_MIN()
  const average = labelled(parts[2]!, 'second', 'avg')
  const max = labelled(parts[3]!, 'final', 'max')
  if (min >= average) throw importErrors.E_RABIN_ORDER('min', 'avg')
  if (average >= max) throw importErrors.E_RABIN_ORDER('avg', 'max')
  return { min, average, max: within(max, most) }
}

function rabinAround(average: number): RabinSpec {
  return { min: Math.trunc(average / 3), average, max: average + Math.trunc(average / 2) }
}

function labelled(part: string, which: string, label: string): number {
  const at = part.indexOf(':')
  if (at === -1) return decimal(part)
  if (part.slice(0, at) !== label) throw importErrors.E_RABIN_LABEL(which, label)
  return decimal(part.slice(at + 1).split(':')[0]!)
}

function decimal(text: string): number {
  try {
    return Number(parseInteger(text, 64, true, 10))
  } catch (error) {
    const complaint = hasCode(error, 'E_NUMBER_RANGE') ? goErrors.E_NUMBER_RANGE : goErrors.E_NUMBER_SYNTAX
    throw complaint('Atoi', goQuote(text))
  }
}

function within(size: number, most: number): number {
  if (size > most) throw importErrors.E_CHUNKER_MAX(most)
  return size
}

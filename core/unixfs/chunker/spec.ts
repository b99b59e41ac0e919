import { importErrors } from '../../errors/unixfs-import.ts'
import { messageOf } from '../../errors.ts'
import { parseInteger } from '../../go/number.ts'

/** Largest chunk a chunker may make, in bytes (boxo 0.19, chunker). */
export const MAX_CHUNK = 1_048_576
export const DEFAULT_CHUNK = 262_144

/** How a file is cut. Sizes in bytes. */
export type ChunkerSpec =
  | { readonly kind: 'size'; readonly size: number }
  | { readonly kind: 'rabin'; readonly min: number; readonly average: number; readonly max: number }
  | { readonly kind: 'buzhash' }

/**
 * Reads `size-N`, `rabin`, `rabin-AVG`, `rabin-MIN-AVG-MAX`, `buzhash`; nothing and `default` mean `size-262144` (boxo 0.19, chunker/parse).
 *
 * @throws E_CHUNKER_…, E_RABIN_…
 */
export function parseChunker(text: string): ChunkerSpec {
  if (text === '' || text === 'default') return { kind: 'size', size: DEFAULT_CHUNK }
  if (text.startsWith('size-')) {
    const size = decimal(text.split('-')[1]!)
    if (size <= 0) throw importErrors.E_CHUNKER_SIZE()
    return { kind: 'size', size: within(size) }
  }
  if (text.startsWith('rabin')) return parseRabin(text.split('-'))
  if (text === 'buzhash') return { kind: 'buzhash' }
  throw importErrors.E_CHUNKER_UNKNOWN(text)
}

function parseRabin(parts: readonly string[]): ChunkerSpec {
  if (parts.length === 1) return rabinAround(DEFAULT_CHUNK)
  if (parts.length === 2) {
    const average = decimal(parts[1]!)
    within(Math.trunc(Math.fround(Math.fround(average) * 1.5)))
    return rabinAround(average)
  }
  if (parts.length !== 4) throw importErrors.E_RABIN_FORMAT()
  const min = labelled(parts[1]!, 'first', 'min')
  if (min < 16) throw importErrors.E_RABIN_MIN()
  const average = labelled(parts[2]!, 'second', 'avg')
  const max = labelled(parts[3]!, 'final', 'max')
  if (min >= average) throw importErrors.E_RABIN_ORDER('min', 'avg')
  if (average >= max) throw importErrors.E_RABIN_ORDER('avg', 'max')
  return { kind: 'rabin', min, average, max: within(max) }
}

function rabinAround(average: number): ChunkerSpec {
  return { kind: 'rabin', min: Math.trunc(average / 3), average, max: average + Math.trunc(average / 2) }
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
    throw importErrors.E_CHUNKER_NUMBER(messageOf(error).replace('strconv.ParseInt', 'strconv.Atoi'))
  }
}

function within(size: number): number {
  if (size > MAX_CHUNK) throw importErrors.E_CHUNKER_MAX(MAX_CHUNK)
  return size
}

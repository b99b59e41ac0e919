import { parseInteger } from '../go/number.ts'
import { cidErrors } from './errors.ts'
import { HASH_FAMILIES, MULTICODECS } from './tables/multicodec.ts'

export interface Multicodec {
  readonly code: number
  readonly name: string
  /** The kind of the code: `ipld`, `multihash`, `multiaddr`… */
  readonly tag: string
}

/** Codes that anyone may use for their own. */
const PRIVATE = { from: 0x300000, to: 0x3fffff }

/** The whole table by code (go-multicodec 0.9.0). */
export const multicodecs: readonly Multicodec[] = [...tabled(), ...families()].sort((a, b) => a.code - b.code)

function* tabled(): Iterable<Multicodec> {
  for (const [tag, entries] of Object.entries(MULTICODECS)) {
    const words = entries.trim().split(/\s+/)
    for (let i = 0; i < words.length; i += 2) yield { code: Number.parseInt(words[i]!, 16), name: words[i + 1]!, tag }
  }
}

function* families(): Iterable<Multicodec> {
  for (const [family, first, bits] of HASH_FAMILIES) {
    for (let i = 0; i < bits / 8; i++) yield { code: first + i, name: `${family}-${(i + 1) * 8}`, tag: 'multihash' }
  }
}

const byName: ReadonlyMap<string, number> = new Map(multicodecs.map(({ name, code }) => [name, code]))
const byCode: ReadonlyMap<number, string> = new Map(multicodecs.map(({ name, code }) => [code, name]))

/**
 * The code of a multicodec given by name, or by number if the number is in the table or free for private use.
 *
 * @throws E_CODEC_UNKNOWN
 */
export function codecByName(text: string): number {
  const code = byName.get(text) ?? numbered(text)
  if (code === undefined) throw cidErrors.E_CODEC_UNKNOWN(text)
  return code
}

function numbered(text: string): number | undefined {
  if (!/^\d/.test(text)) return undefined
  const code = attempt(text)
  return code !== undefined && (byCode.has(code) || (code >= PRIVATE.from && code <= PRIVATE.to)) ? code : undefined
}

function attempt(text: string): number | undefined {
  try {
    return Number(parseInteger(text, 64, false))
  } catch {
    return undefined
  }
}

/** The name of a multicodec; `Code(N)` when the table has none. */
export function codecName(code: number): string {
  return byCode.get(code) ?? `Code(${code})`
}

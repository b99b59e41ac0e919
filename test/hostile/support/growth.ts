import assert from 'node:assert/strict'
import type { Decoder } from './decoders.ts'

/** Bytes of input: each size is ten times the one before. */
const SIZES = [10_000, 100_000, 1_000_000]
/** Times that ten times the input may take: what is linear takes about 10, the collector and caches included, what is quadratic 100. */
const MOST_TIMES = 40
/** Milliseconds of processor time that tell nothing: less than the process needs for other things. */
const NOISE = 2
const ROUNDS = 3

/**
 * Reads inputs of growing size, and refuses a decoder whose processor time grows faster than they do. What comes after the size that
 * shows it is not tried.
 *
 * @throws AssertionError
 */
export async function growsWithItsInput({ input, read }: Decoder): Promise<void> {
  let before: number | undefined
  for (const size of SIZES) {
    const most = MOST_TIMES * Math.max(before ?? Number.POSITIVE_INFINITY, NOISE)
    const now = await cost(input(size), read, most)
    assert.ok(now <= most, `${size} bytes take ${now.toFixed(1)} ms, a tenth of them ${before?.toFixed(1)} ms`)
    before = now
  }
}

/** Milliseconds of processor time; where they are more than `most`, the least of some rounds, as the rest may be the machine's doing. */
async function cost(input: Uint8Array, read: Decoder['read'], most: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS && (round === 0 || least > most); round++) {
    const from = process.cpuUsage()
    await attempt(input, read)
    const { user, system } = process.cpuUsage(from)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** A refusal is an answer like any other, as long as it is one that is declared. */
async function attempt(input: Uint8Array, read: Decoder['read']): Promise<void> {
  try {
    await read(input)
  } catch (error) {
    assert.ok(error instanceof Error && /^E_/.test(String((error as { code?: unknown }).code)), error as Error)
  }
}

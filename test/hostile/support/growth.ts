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
    const now = await cost(input(size), read)
    const most = MOST_TIMES * Math.max(before ?? Number.POSITIVE_INFINITY, NOISE)
    assert.ok(now <= most, `${size} bytes take ${now.toFixed(1)} ms, a tenth of them ${before?.toFixed(1)} ms`)
    before = now
  }
}

/** The least of some rounds: what one takes beyond that is the machine's doing. */
async function cost(input: Uint8Array, read: Decoder['read']): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const { user, system } = process.cpuUsage()
    await attempt(input, read)
    const spent = process.cpuUsage({ user, system })
    least = Math.min(least, (spent.user + spent.system) / 1000)
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

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { NodeError } from '../../core/errors.ts'

/** What holds for every input of a parser. */
export interface Fuzz {
  readonly name: string
  /** Cases of this one for each of a cheap one's; below 1 where a case is dear. Default 1. */
  readonly weight: number
  run(runs: number, seed: number): Promise<void>
}

/** A property: `check` throws where it does not hold. */
export function fuzz<T>(name: string, of: fc.Arbitrary<T>, check: (value: T) => unknown, weight = 1): Fuzz {
  const property = fc.asyncProperty(of, async value => {
    await check(value)
  })
  return { name, weight, run: (numRuns, seed) => fc.assert(property, { numRuns, seed }) }
}

/** What `read` makes; undefined where it throws an error that is declared. Any other error goes on. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof NodeError) return undefined
    throw error
  }
}

/** The code of the declared error that `read` throws, or `ok`. */
export function outcome(read: () => unknown): string {
  try {
    read()
    return 'ok'
  } catch (error) {
    if (error instanceof NodeError) return error.code
    throw error
  }
}

/** Bytes of which many are among the given ones. */
export function bytesAmong(known: readonly number[], maxLength = 40): fc.Arbitrary<Uint8Array> {
  const byte = fc.oneof(fc.constantFrom(...known), fc.nat(255))
  return fc.array(byte, { maxLength }).map(list => Uint8Array.from(list))
}

/** Text put together from pieces, of which many are among the given ones. */
export function textAmong(known: readonly string[], maxLength = 12): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) }
  )
  return fc.array(piece, { maxLength }).map(pieces => pieces.join(''))
}

export function same(actual: unknown, expected: unknown): void {
  assert.deepStrictEqual(actual, expected)
}

/** Bytes in pieces that end at the given places. */
export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [...new Set(places.map(place => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...cuts, bytes.length].map((end, i) => bytes.subarray(cuts[i - 1] ?? 0, end))
}

export async function* stream(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces
}

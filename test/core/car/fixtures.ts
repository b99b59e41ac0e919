import { readFile } from 'node:fs/promises'
import { sumCid } from '../../../core/cid/sum.ts'
import type { Block } from '../../../core/index.ts'

interface Recording {
  readonly steps: ReadonlyArray<{
    readonly name: string
    readonly parts?: ReadonlyArray<{ readonly data: { readonly hex?: string } }>
    readonly response: { readonly status: number }
  }>
}

/** The CARs of recorded imports that are given in full, by the names of their steps. */
export async function recordedCars(name: string): Promise<Map<string, Buffer>> {
  const file = new URL(`../../../../test/conformance/kit/recorded/${name}.json`, import.meta.url)
  const { steps } = JSON.parse(await readFile(file, 'utf8')) as Recording
  const cars = new Map<string, Buffer>()
  for (const { name: step, parts } of steps) {
    const hex = parts?.[0]?.data.hex
    if (hex !== undefined) cars.set(step.replace(/^dag\/import /, '').replace(/ stats=true$/, ''), Buffer.from(hex, 'hex'))
  }
  return cars
}

export function rawBlock(bytes: Uint8Array): Block {
  return { cid: sumCid({ version: 1, codec: 0x55, hash: 0x12 }, bytes), bytes }
}

/** `bytes` in pieces of the lengths of `sizes`, over and over. */
export async function* pieces(bytes: Uint8Array, ...sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!
    yield bytes.subarray(at, at + size)
    at += size
  }
}

import { BUZHASH, buzhashCut } from './buzhash.ts'
import { rabinCut } from './rabin.ts'
import { type ChunkerSpec, MAX_CHUNK } from './spec.ts'
import { Window } from './window.ts'

export { type ChunkerSpec, DEFAULT_CHUNK, MAX_CHUNK, parseChunker } from './spec.ts'

/** Gives out the memory that a leaf is made in: `size` bytes of payload, with room before and after for what is put around it. */
export interface LeafMemory {
  take(size: number): LeafBuffer
}

export interface LeafBuffer {
  readonly bytes: Buffer
  /** Where the payload starts. */
  readonly start: number
  /** Gives the memory back. Nobody may look at it any more. */
  release(): void
}

/** One chunk of a file, in memory of its own. */
export interface Chunk {
  readonly buffer: LeafBuffer
  readonly size: number
}

/** Cuts a stream into chunks. Each byte is copied once, into the memory that its block will be made of. */
export async function* chunksOf(source: AsyncIterable<Uint8Array>, spec: ChunkerSpec, memory: LeafMemory): AsyncGenerator<Chunk> {
  if (spec.kind === 'size') yield* fixedChunks(source, spec.size, memory)
  else yield* cutChunks(source, spec, memory)
}

async function* fixedChunks(source: AsyncIterable<Uint8Array>, size: number, memory: LeafMemory): AsyncGenerator<Chunk> {
  let buffer: LeafBuffer | undefined
  let filled = 0
  for await (const bytes of source) {
    for (let at = 0; at < bytes.length; ) {
      buffer ??= memory.take(size)
      const taken = bytes.subarray(at, at + size - filled)
      buffer.bytes.set(taken, buffer.start + filled)
      filled += taken.length
      at += taken.length
      if (filled === size) {
        yield { buffer, size }
        buffer = undefined
        filled = 0
      }
    }
  }
  if (buffer !== undefined) yield { buffer, size: filled }
}

async function* cutChunks(
  source: AsyncIterable<Uint8Array>,
  spec: Exclude<ChunkerSpec, { kind: 'size' }>,
  memory: LeafMemory
): AsyncGenerator<Chunk> {
  const most = spec.kind === 'buzhash' ? BUZHASH.max : spec.max
  const cut = spec.kind === 'buzhash' ? buzhashCut : (bytes: Uint8Array) => rabinCut(bytes, spec)
  const window = new Window(source, Math.max(most, MAX_CHUNK / 4))
  try {
    for (;;) {
      const seen = await window.see(most)
      if (seen === 0) return
      const size = cut(window.view.subarray(0, seen))
      const buffer = memory.take(size)
      buffer.bytes.set(window.take(size), buffer.start)
      yield { buffer, size }
    }
  } finally {
    await window.close()
  }
}

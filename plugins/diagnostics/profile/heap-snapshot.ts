import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeHeapSnapshot } from 'node:v8'

/**
 * Everything on the heap, as Chrome's `.heapsnapshot`. The process stands still while it is taken. V8 hands it out in one go, so it goes
 * through a file that only this user can read, and that is removed again. It holds whatever the process knows, keys included: see `without-key.ts`.
 */
export async function* heapSnapshot(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted()
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-heap-'))
  try {
    const file = writeHeapSnapshot(join(folder, 'heap.heapsnapshot'))
    for await (const chunk of createReadStream(file, { signal })) yield chunk as Uint8Array
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

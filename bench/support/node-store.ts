import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RocksBlockstore } from '../../plugins/storage-rocksdb/blocks/blockstore.ts'
import { storageSettings } from '../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../plugins/storage-rocksdb/storage.ts'
import { benchFolder } from './node.ts'

/** Callers that put at a time. */
const CALLERS = 16

export interface NodeStore {
  /** Puts these blocks under the SHA-256 of their first bytes, which have to differ. */
  put(blocks: Iterable<Uint8Array>): Promise<void>
  /** What was put survives power loss. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** The block store of a node with its defaults, by itself in this process. */
export async function nodeStore(): Promise<NodeStore> {
  const folder = await benchFolder()
  const storage = new Storage(join(folder, 'repo'), storageSettings.parse({}))
  await storage.open()
  const store = new RocksBlockstore(storage)
  return {
    async put(blocks) {
      const remaining = blocks[Symbol.iterator]()
      const caller = async () => {
        for (let step = remaining.next(); !step.done; step = remaining.next()) await store.putBytes(keyOf(step.value), step.value)
      }
      await Promise.all(Array.from({ length: CALLERS }, caller))
    },
    sync: () => store.sync(),
    async close() {
      await storage.close()
      await rm(folder, { recursive: true })
    }
  }
}

function keyOf(block: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([0x12, 32]), hash('sha256', block.subarray(0, 64), 'buffer')])
}

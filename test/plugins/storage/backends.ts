import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastBlockstore } from '../../../core/blocks/blockstore.ts'
import type { Datastore } from '../../../core/index.ts'
import { MemoryBlockstore } from '../../../plugins/storage-memory/blockstore.ts'
import { MemoryDatastore } from '../../../plugins/storage-memory/datastore.ts'
import { RocksBlockstore } from '../../../plugins/storage-rocksdb/blocks/blockstore.ts'
import { RocksDatastore } from '../../../plugins/storage-rocksdb/database/datastore.ts'
import { type StorageSettings, storageSettings } from '../../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../../plugins/storage-rocksdb/storage.ts'

export interface Opened {
  readonly blocks: FastBlockstore
  readonly data: Datastore
  /** Closes the stores and removes what they kept. */
  close(): Promise<void>
}

export interface Backend {
  readonly name: string
  open(): Promise<Opened>
}

/** A folder for one test; the caller removes it. */
export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'storage-'))
}

/** The stores over an existing repo folder. */
export async function openRocks(repo: string, changes: Partial<StorageSettings> = {}) {
  const storage = new Storage(repo, storageSettings.parse(changes))
  await storage.open()
  return { storage, blocks: new RocksBlockstore(storage), data: new RocksDatastore(storage) }
}

/** The names of the segments of a repo, the oldest first. */
export async function segmentsOf(repo: string): Promise<string[]> {
  return (await readdir(join(repo, 'segments'))).filter(name => name.endsWith('.blocks')).sort()
}

function rocks(name: string, changes: Partial<StorageSettings>): Backend {
  return {
    name,
    async open() {
      const repo = await temporaryFolder()
      const { storage, blocks, data } = await openRocks(repo, changes)
      return {
        blocks,
        data,
        async close() {
          await storage.close()
          await rm(repo, { recursive: true })
        }
      }
    }
  }
}

export const backends: readonly Backend[] = [
  { name: 'memory', open: async () => ({ blocks: new MemoryBlockstore(), data: new MemoryDatastore(), close: async () => {} }) },
  rocks('rocksdb', {}),
  rocks('rocksdb with every block in a segment', { inlineUpTo: 0 }),
  rocks('rocksdb with every block in a file', { inlineUpTo: 0, largeBlocks: 'files' })
]

import type RocksDB from 'rocksdb'
import { storageErrors } from '../errors.ts'

/**
 * The RocksDB binding, loaded on first use so that a machine without it can still run a node that keeps its blocks elsewhere.
 *
 * @throws E_STORAGE_NO_BINARY, E_STORAGE_NO_LIBATOMIC, E_STORAGE_BINARY_BROKEN
 */
export async function loadBinding(load: () => Promise<unknown> = () => import('rocksdb')): Promise<typeof RocksDB> {
  try {
    return ((await load()) as { default: typeof RocksDB }).default
  } catch (error) {
    throw explained(error)
  }
}

function explained(error: unknown): Error {
  // The loader's own complaint says nothing; the reason is the dynamic linker's, one cause further down.
  const reasons = [error, (error as { cause?: unknown } | undefined)?.cause]
  const texts = reasons.map(reason => (reason instanceof Error ? reason.message : ''))
  if (texts.some(text => text.includes('libatomic'))) return storageErrors.E_STORAGE_NO_LIBATOMIC()
  const code = (error as { code?: unknown } | undefined)?.code
  if (code === 'ADDON_NOT_FOUND') return storageErrors.E_STORAGE_NO_BINARY(`${process.platform}-${process.arch}`)
  return storageErrors.E_STORAGE_BINARY_BROKEN(texts.findLast(text => text !== '') ?? String(error))
}

import { opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../errors.ts'
import { parseBytes } from '../go/bytes.ts'
import type { Blockstore } from '../services/storage/blockstore.ts'
import type { Repo } from '../services/storage/repo.ts'
import { repoErrors } from './errors.ts'

/** The number that stands for no limit: all bits of 64 (Kubo 0.28, core/corerepo/stat.go). */
export const NO_LIMIT = 2n ** 64n - 1n

/** Bytes that a node's repo takes: its folder, or in memory its blocks. */
export async function repoSize(repo: Repo, store: Blockstore, signal?: AbortSignal): Promise<bigint> {
  if (repo.path === undefined) return BigInt((await store.totals?.({ signal }))?.bytes ?? 0)
  const files = await store.filesInRepo?.({ signal })
  return (await repo.diskUsage({ but: files?.folder, signal })) + BigInt(files?.bytes ?? 0)
}

interface FolderSizeOptions {
  /** A folder in it that is not counted. */
  readonly but?: string | undefined
  /** Bytes beyond which nothing more is counted. */
  readonly most?: bigint
  readonly signal?: AbortSignal | undefined
}

/** Bytes of all files of a folder. Those that vanish while they are counted do not count. */
export async function folderSize(path: string, { but, most = NO_LIMIT, signal }: FolderSizeOptions = {}): Promise<bigint> {
  const skipped = but && join(path, but)
  let sum = 0n
  const folders = [path]
  for (let folder = folders.pop(); folder !== undefined && sum <= most; folder = folders.pop()) {
    const here = folder
    const files: string[] = []
    const entries = await opendir(here).catch(() => undefined)
    for await (const entry of entries ?? []) {
      signal?.throwIfAborted()
      const path = join(here, entry.name)
      if (path !== skipped) (entry.isDirectory() ? folders : files).push(path)
    }
    const sizes = await Promise.all(
      files.map(file =>
        stat(file).then(
          ({ size }) => size,
          () => 0
        )
      )
    )
    sum += BigInt(sizes.reduce((a, b) => a + b, 0))
  }
  return sum
}

/**
 * Bytes that the node configuration lets the repo take: `Datastore.StorageMax`, empty meaning {@link NO_LIMIT}.
 *
 * @throws E_STORAGE_MAX
 */
export function storageMax(repo: Pick<Repo, 'get'>): bigint {
  const text = repo.get<string>('Datastore.StorageMax') ?? ''
  if (text === '') return NO_LIMIT
  try {
    return parseBytes(text)
  } catch (error) {
    throw repoErrors.E_STORAGE_MAX(text, messageOf(error))
  }
}

/** What to say where a repo takes more than it may, and nothing sees to that. */
export const OVER_STORAGE_MAX =
  'the repo takes more than Datastore.StorageMax, and nothing is collected unless asked for: holdfast repo gc, or holdfast daemon --enable-gc'

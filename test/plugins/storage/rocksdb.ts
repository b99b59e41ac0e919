import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { StorageSettings } from '../../../plugins/storage-rocksdb/settings.ts'
import { openRocks as open, temporaryFolder } from './backends.ts'
import { sample } from './samples.ts'

/** With large blocks in files of their own; segments.test.ts has the others. */
export const openRocks = (repo: string, changes: Partial<StorageSettings> = {}) => open(repo, { largeBlocks: 'files', ...changes })

export const withRepo = (title: string, run: (t: ExecutionContext, repo: string) => Promise<void>) =>
  test(title, async t => {
    const repo = await temporaryFolder()
    try {
      await run(t, repo)
    } finally {
      await rm(repo, { recursive: true, force: true })
    }
  })

export const large = sample(1, 9000)
export const small = sample(2, 100)

export async function filesOf(repo: string): Promise<string[]> {
  const entries = await readdir(join(repo, 'blocks'), { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile() && !['SHARDING', '.database'].includes(entry.name)).map(entry => entry.name)
}

/** Leaves of a repo what a power loss would: of what was not synced, as much or as little as chance has it. */
import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { LaunchOptions } from '../../helpers/process/daemon.ts'
import type { Random } from '../../helpers/random.ts'
import type { Synced } from './power-journal.ts'
import { lines } from './rpc.ts'

const hook = pathToFileURL(fileURLToPath(new URL('./power-journal.js', import.meta.url))).href

const journalOf = (repo: string) => `${repo}.synced.jsonl`

/** A disk whose syncs take up to so many milliseconds, chosen by the seed. */
export interface Slowness {
  readonly slowest: number
  readonly seed: number
}

/** A node whose syncs are written down, on a machine that was started the `boot`th time. */
export function journaled(repo: string, boot: number, { slowest, seed }: Slowness = { slowest: 0, seed: 1 }): LaunchOptions {
  const env = { POWER_JOURNAL: journalOf(repo), POWER_BOOT: `boot ${boot}`, POWER_SLOWEST: `${slowest}`, POWER_SEED: `${seed}` }
  return { nodeArgs: ['--import', hook], env }
}

/** What was lost, for the log of a test. */
export interface Loss {
  files: number
  bytes: number
}

export async function losePower(repo: string, random: Random, loss: Loss): Promise<void> {
  const sizes = new Map<number, number>()
  const named = new Map<string, Set<number>>()
  for (const synced of lines<Synced>(await readFile(journalOf(repo), 'utf8').catch(() => ''))) {
    if ('inode' in synced) sizes.set(synced.inode, synced.size)
    else named.set(synced.folder, new Set(synced.inodes))
  }
  for (const path of await unsyncedKinds(repo)) {
    const { ino, size } = await stat(path)
    const kept = Math.min(sizes.get(ino) ?? 0, size)
    const isNamed = named.get(dirname(path))?.has(ino) ?? false
    if (kept === size && isNamed) continue
    const isLog = path.endsWith('.log')
    if (!isNamed && !isLog && random.below(3) === 0) await rm(path)
    else if (kept < size) await cut(path, kept, size, random, isLog)
    else continue
    loss.files++
    loss.bytes += size - kept
  }
}

/** To what was synced, to some length in between, or to zeros where the system knew the length alone. */
async function cut(path: string, kept: number, size: number, random: Random, isLog: boolean): Promise<void> {
  const outcome = random.below(isLog ? 2 : 4)
  if (outcome === 0) await truncate(path, kept)
  if (outcome === 1) await truncate(path, kept + random.below(size - kept))
  if (outcome === 2) {
    const bytes = await readFile(path)
    await writeFile(path, bytes.fill(0, kept))
  }
}

/**
 * The files whose bytes reach the disk only when the node says so: those of blocks, and the log that RocksDB is writing. RocksDB itself syncs
 * everything else before it relies on it.
 */
async function unsyncedKinds(repo: string): Promise<string[]> {
  const paths: string[] = []
  const logs: string[] = []
  for (const entry of await readdir(repo, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile() || entry.parentPath === repo) continue
    const path = join(entry.parentPath, entry.name)
    const isDatabase = entry.parentPath === join(repo, 'db')
    if (isDatabase && /^\d+\.log$/.test(entry.name)) logs.push(path)
    else if (!isDatabase && !path.startsWith(join(repo, 'keystore')) && entry.name !== 'SHARDING') paths.push(path)
  }
  const current = logs.sort((a, b) => Number.parseInt(a.split('/').at(-1)!, 10) - Number.parseInt(b.split('/').at(-1)!, 10)).at(-1)
  return current === undefined ? paths : [...paths, current]
}

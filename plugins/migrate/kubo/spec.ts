import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Json } from '../../../core/index.ts'
import { repoFiles } from '../../../core/repo/index.ts'
import { migrateErrors } from '../errors.ts'

/** Where the parts of a store lie, as absolute paths. */
interface StorePlaces {
  readonly blocks: string
  /** The function that says in which folder a block's file lies. */
  readonly sharding: string
  readonly datastore: string
}

type Members = Readonly<Record<string, Json | undefined>>

/**
 * The content of a repo's `datastore_spec` (Kubo 0.28, repo/fsrepo/datastores.go).
 *
 * @throws E_KUBO_FILE, E_KUBO_STORE for any store but flatfs beside LevelDB
 */
export async function readSpec(repo: string): Promise<StorePlaces> {
  const file = join(repo, repoFiles.storage)
  let spec: Members
  try {
    spec = membersOf(JSON.parse(await readFile(file, 'utf8')) as Json)
  } catch {
    throw migrateErrors.E_KUBO_FILE(file, 'it is missing, or no JSON')
  }
  const mounts = spec['type'] === 'mount' && Array.isArray(spec['mounts']) ? (spec['mounts'] as Json[]).map(membersOf) : undefined
  if (mounts === undefined) throw migrateErrors.E_KUBO_STORE(file, `'${String(spec['type'])}'`)
  const at = (mountpoint: string, type: string) => mounts.find(one => one['mountpoint'] === mountpoint && one['type'] === type)
  const blocks = at('/blocks', 'flatfs')
  const levelds = at('/', 'levelds')
  if (blocks === undefined || levelds === undefined || mounts.length !== 2) {
    throw migrateErrors.E_KUBO_STORE(file, mounts.map(one => `'${String(one['type'])}' under ${String(one['mountpoint'])}`).join(' and '))
  }
  const place = (path: Json | undefined) => {
    if (typeof path !== 'string' || path === '') throw migrateErrors.E_KUBO_FILE(file, 'a store in it has no path')
    return isAbsolute(path) ? path : join(repo, path)
  }
  return { blocks: place(blocks['path']), sharding: String(blocks['shardFunc']), datastore: place(levelds['path']) }
}

function membersOf(value: Json): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}
}

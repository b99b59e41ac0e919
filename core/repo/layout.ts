import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../errors.ts'
import { withRegularFile } from '../files/regular.ts'
import { repoErrors } from './errors.ts'

/** Version of the folder's layout (Kubo 0.28, repo/fsrepo/fsrepo.go). */
export const REPO_VERSION = 15

/** The names of the files in a repo's folder (Kubo 0.28, repo/fsrepo/fsrepo.go). */
export const repoFiles = {
  config: 'config',
  version: 'version',
  lock: 'repo.lock',
  /** How the datastore is stored, in the form of the reference. */
  storage: 'datastore_spec',
  /** How each service that keeps something here stores it, and the plugins that do. */
  layouts: 'layouts',
  /** Multiaddr of the RPC listener while the node runs. */
  api: 'api',
  /** URL of the gateway's listener while the node runs. */
  gateway: 'gateway',
  /** The key of a private network. */
  swarmKey: 'swarm.key'
} as const

/**
 * What is amiss with a folder that holds no repo as far as {@link isInitialised} can see: this user may not look into it, or it has what belongs to a repo and no
 * configuration; undefined: there is none.
 */
export async function remainsOf(path: string): Promise<'unreadable' | 'no-config' | undefined> {
  try {
    await stat(join(path, repoFiles.config))
  } catch (error) {
    if (hasCode(error, 'EACCES') || hasCode(error, 'EPERM')) return 'unreadable'
  }
  for (const name of [repoFiles.storage, repoFiles.version])
    if ((await stat(join(path, name)).catch(() => undefined)) !== undefined) return 'no-config'
  return undefined
}

const ADDRESS_MAX = 2048

/** Whether a folder holds a repo: whether it has a configuration, which is the last thing that `init` writes. */
export async function isInitialised(path: string): Promise<boolean> {
  const found = await stat(join(path, repoFiles.config)).catch(() => undefined)
  return found?.isFile() === true
}

/** The content of an `api` or `gateway` file, and its owner. */
interface AddressFile {
  readonly file: string
  readonly address: string
  readonly found: Stats
}

/**
 * The address a running node left in its folder.
 *
 * @returns undefined when there is no such file
 * @throws E_ADDRESS_FILE_SIZE, E_FILE_IRREGULAR
 */
export async function readAddressFile(path: string, listener: 'api' | 'gateway'): Promise<AddressFile | undefined> {
  const file = join(path, repoFiles[listener])
  try {
    return await withRegularFile(file, async ({ found, first }) => {
      const bytes = await first(ADDRESS_MAX)
      if (bytes.length >= ADDRESS_MAX) throw repoErrors.E_ADDRESS_FILE_SIZE(file)
      return { file, address: bytes.toString().trim(), found }
    })
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined
    throw error
  }
}

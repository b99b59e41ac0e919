import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { repoErrors } from '../errors/repo.ts'

/** Version of the folder's layout (Kubo 0.28, repo/fsrepo/fsrepo.go). */
export const REPO_VERSION = 15

/** What lies where in a repo's folder (Kubo 0.28, repo/fsrepo/fsrepo.go). */
export const repoFiles = {
  config: 'config',
  version: 'version',
  lock: 'repo.lock',
  /** How what is stored here is stored. */
  storage: 'datastore_spec',
  /** Multiaddr of the RPC listener while the node runs. */
  api: 'api',
  /** URL of the gateway's listener while the node runs. */
  gateway: 'gateway'
} as const

const ADDRESS_MAX = 2048

/** Whether a folder holds a repo: whether it has a configuration, which is the last thing that `init` writes. */
export async function isInitialised(path: string): Promise<boolean> {
  const found = await stat(join(path, repoFiles.config)).catch(() => undefined)
  return found?.isFile() === true
}

/**
 * The address a running node left in its folder.
 *
 * @returns undefined when there is no such file
 * @throws E_ADDRESS_FILE_SIZE
 */
export async function readAddress(path: string, listener: 'api' | 'gateway'): Promise<string | undefined> {
  const name = join(path, repoFiles[listener])
  const file = await open(name).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (file === undefined) return undefined
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(ADDRESS_MAX), 0, ADDRESS_MAX, 0)
    if (bytesRead >= ADDRESS_MAX) throw repoErrors.E_ADDRESS_FILE_SIZE(name)
    return buffer.toString('utf8', 0, bytesRead).trim()
  } finally {
    await file.close()
  }
}

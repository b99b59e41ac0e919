import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../../core/index.ts'
import { repoFiles } from '../../../core/repo/layout.ts'
import { networkPluginErrors } from '../errors.ts'
import { Salsa20 } from './salsa20.ts'

/** The file of the repo with the key of a private network. */
const FILE = repoFiles.swarmKey

const SIZE = 32

/** Octets of the file that are looked at. */
const MOST = 4096
const HEADER = '/key/swarm/psk/1.0.0/'

/** The key of a private network: only peers that have it can be talked to. */
export interface NetworkKey {
  readonly bytes: Uint8Array
  /** Hexadecimal; the same for all who have the key, and says nothing about it. */
  readonly fingerprint: string
}

/** @throws E_SWARM_KEY, E_PRIVATE_NETWORK_FORCED */
export async function readNetworkKey(repo: string | undefined, environment: NodeJS.ProcessEnv): Promise<NetworkKey | undefined> {
  const isForced = environment['LIBP2P_FORCE_PNET'] === '1'
  if (repo === undefined) {
    if (isForced) throw networkPluginErrors.E_PRIVATE_NETWORK_FORCED(FILE)
    return undefined
  }
  const path = join(repo, FILE)
  const text = await read(path)
  if (text === undefined) {
    if (isForced) throw networkPluginErrors.E_PRIVATE_NETWORK_FORCED(path)
    return undefined
  }
  const bytes = keyOf(text, path)
  return { bytes, fingerprint: fingerprintOf(bytes) }
}

async function read(path: string): Promise<string | undefined> {
  try {
    const file = await open(path)
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(MOST), 0, MOST, 0)
      return buffer.toString('latin1', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw networkPluginErrors.E_SWARM_KEY(path, messageOf(error))
  }
}

/** The key in the text of a file: a header, how the key is written, the key. */
export function keyOf(text: string, path: string): Uint8Array {
  const [header, base, key = ''] = text.split('\n').map(line => line.trim())
  const refused = (why: string) => networkPluginErrors.E_SWARM_KEY(path, why)
  if (header !== HEADER) throw refused(`its first line is not ${HEADER}`)
  if (base === '/base16/' || base === '/base64/') {
    const isWritten = base === '/base16/' ? /^[0-9a-f]{64}$/i.test(key) : /^[A-Za-z0-9+/]{43}=$/.test(key)
    if (!isWritten) throw refused(`its third line is no key of ${SIZE} octets in ${base.slice(1, -1)}`)
    return Buffer.from(key, base === '/base16/' ? 'hex' : 'base64')
  }
  throw refused('its second line is neither /base16/ nor /base64/')
}

/** go-libp2p 0.33, core/pnet, and Kubo 0.28, core/node/libp2p/pnet.go: a hash of what the key makes of zeros. */
function fingerprintOf(key: Uint8Array): string {
  const stream = Salsa20.of(key, Buffer.from('finprint')).apply(new Uint8Array(64))
  return createHash('shake128', { outputLength: 16 }).update(stream).digest('hex')
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CID } from 'multiformats/cid'
import { decodeCid } from '../../../core/cid/index.ts'
import { decodeUtf8, parseJsonExactly, withoutMark } from '../../../core/go/index.ts'
import { hasCode, type Identity, messageOf, type NodeConfig } from '../../../core/index.ts'
import { identityOf } from '../../../core/keys/index.ts'
import { isInitialised, repoFiles } from '../../../core/repo/index.ts'
import { migrateErrors } from '../errors.ts'
import { readDatabase } from '../leveldb/database.ts'
import { Flatfs } from './flatfs.ts'
import { readKeystore } from './keystore.ts'
import { type KuboPin, PINS, readPin } from './pins.ts'
import { FILES_ROOT, isReference, type KuboReference, nameOfKnown, nameOfPublished, outOfEnvelope, readReference } from './records.ts'
import { refuseRunning, stampOf } from './running.ts'
import { readSpec } from './spec.ts'

/** Versions of a repo that can be read: that of Kubo 0.28, and those up to Kubo 0.42. They differ in the configuration alone. */
export const VERSIONS = { least: 15, most: 18 } as const

/** A record of a name, under the multihash of the name. */
interface KuboRecord {
  readonly multihash: Uint8Array
  readonly record: Uint8Array
}

/** All that a repo of Kubo has but its blocks, which are a file each. */
export interface KuboRepo {
  readonly path: string
  readonly version: number
  readonly config: NodeConfig
  readonly identity: Identity
  readonly blocks: Flatfs
  readonly keys: ReadonlyMap<string, Identity>
  readonly pins: readonly KuboPin[]
  /** The root of the mutable tree; undefined where there is none yet. */
  readonly root: CID | undefined
  /** Records that the node has published itself. */
  readonly published: readonly KuboRecord[]
  /** Records of any name that the node had found or made. */
  readonly known: readonly KuboRecord[]
  readonly references: readonly KuboReference[]
  /** @throws E_MIGRATE_CHANGED, E_KUBO_RUNNING where somebody has worked on it since, or does */
  checkUnchanged(): Promise<void>
}

/**
 * Reads a repo that Kubo does not work on, without writing to it. All of it has to be readable.
 *
 * @throws E_KUBO_…, E_LEVELDB_FILE
 */
export async function readKuboRepo(path: string, signal?: AbortSignal): Promise<KuboRepo> {
  if (!(await isInitialised(path))) throw migrateErrors.E_KUBO_ABSENT(path)
  const version = await readVersion(path)
  const places = await readSpec(path)
  await refuseRunning(path, places.datastore)
  const watched = [join(path, repoFiles.config), join(path, repoFiles.version), places.datastore]
  const stamp = await stampOf(watched)
  const config = await readConfig(path)
  const [blocks, keys] = [await Flatfs.open(places.blocks, places.sharding), await readKeystore(path)]
  const values = await readDatabase(places.datastore, isWanted, signal)
  return {
    path,
    version,
    config,
    identity: identityIn(config, join(path, repoFiles.config)),
    blocks,
    keys,
    ...contentOf(values, places.datastore),
    async checkUnchanged() {
      await refuseRunning(path, places.datastore)
      if ((await stampOf(watched)) !== stamp) throw migrateErrors.E_MIGRATE_CHANGED(path)
    }
  }
}

/** Keys of what is taken over. All others hold what a node finds out again: peers, providers, what is still to be provided. */
function isWanted(key: string): boolean {
  return (
    key.startsWith(PINS) || key === FILES_ROOT || isReference(key) || nameOfPublished(key) !== undefined || nameOfKnown(key) !== undefined
  )
}

function contentOf(values: ReadonlyMap<string, Uint8Array>, folder: string) {
  const content = {
    pins: [] as KuboPin[],
    root: undefined as CID | undefined,
    published: [] as KuboRecord[],
    known: [] as KuboRecord[],
    references: [] as KuboReference[]
  }
  for (const [key, value] of values) {
    const [published, known] = [nameOfPublished(key), nameOfKnown(key)]
    const record = known && outOfEnvelopeOf(key, value, folder)
    if (key.startsWith(PINS)) content.pins.push(readPin(key, value, folder))
    else if (key === FILES_ROOT) content.root = rootIn(value, folder)
    else if (isReference(key)) content.references.push(readReference(key, value, folder))
    else if (published !== undefined) content.published.push({ multihash: published, record: value })
    else if (known !== undefined && record !== undefined) content.known.push({ multihash: known, record })
  }
  return content
}

function outOfEnvelopeOf(key: string, value: Uint8Array, folder: string): Uint8Array | undefined {
  try {
    return outOfEnvelope(value)
  } catch (error) {
    throw migrateErrors.E_KUBO_FILE(folder, `the record ${key} in it cannot be read: ${messageOf(error)}`)
  }
}

function rootIn(value: Uint8Array, folder: string): CID {
  try {
    return decodeCid(value)
  } catch (error) {
    throw migrateErrors.E_KUBO_FILE(folder, `the root of the mutable tree in it is no CID: ${messageOf(error)}`)
  }
}

async function readVersion(path: string): Promise<number> {
  const text = await readFile(join(path, repoFiles.version), 'utf8').catch(error => {
    if (hasCode(error, 'ENOENT')) return ''
    throw migrateErrors.E_KUBO_FILE(join(path, repoFiles.version), messageOf(error))
  })
  const version = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN
  if (version >= VERSIONS.least && version <= VERSIONS.most) return version
  throw migrateErrors.E_KUBO_VERSION(path, text.trim(), VERSIONS.least, VERSIONS.most)
}

async function readConfig(path: string): Promise<NodeConfig> {
  const file = join(path, repoFiles.config)
  try {
    const config = parseJsonExactly(withoutMark(decodeUtf8(await readFile(file))))
    if (typeof config !== 'object' || config === null || Array.isArray(config)) throw new Error('it is no object')
    return config as NodeConfig
  } catch (error) {
    throw migrateErrors.E_KUBO_FILE(file, messageOf(error))
  }
}

function identityIn(config: NodeConfig, file: string): Identity {
  const { PeerID, PrivKey } = (config['Identity'] ?? {}) as { PeerID?: unknown; PrivKey?: unknown }
  try {
    const identity = identityOf(new Uint8Array(Buffer.from(String(PrivKey ?? ''), 'base64')), { anySize: true })
    if (PeerID !== identity.peerId) throw new Error(`it belongs to the peer ${identity.peerId}, not to ${String(PeerID)}`)
    return identity
  } catch (error) {
    throw migrateErrors.E_KUBO_FILE(file, `Identity.PrivKey: ${messageOf(error)}`)
  }
}

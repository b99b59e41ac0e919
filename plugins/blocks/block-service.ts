import { CID } from 'multiformats/cid'
import { decode } from 'multiformats/hashes/digest'
import { fastBlocks } from '../../core/blocks/fast.ts'
import { storedAndReferred } from '../../core/blocks/referring.ts'
import { WholeBlocks } from '../../core/blocks/whole-blocks.ts'
import { IDENTITY, RAW } from '../../core/cid/codes.ts'
import { digestInTurns, hashFunction, isHashedAtOnce } from '../../core/cid/hashers.ts'
import { checkCidSecurity, isCidSecure } from '../../core/cid/hashes.ts'
import { cidToString } from '../../core/cid/parse.ts'
import {
  type Block,
  type BlockOptions,
  type Blocks,
  Blockstore,
  blockErrors,
  commonErrors,
  type Denylist,
  type FastBlocks,
  type FoundBlock,
  type Lease,
  type Place,
  type References,
  Repo,
  refuseDeniedBlock,
  type Startable,
  WriteBarrier,
  withoutDenied
} from '../../core/index.ts'
import type { BlockSettings } from './settings.ts'
import type { SourceList } from './sources.ts'

type Verification = NonNullable<BlockSettings['verifyOnRead']>

/** Questions at a time to a store that takes them one by one. */
const AT_ONCE = 32

interface Parts {
  readonly store: Blockstore
  readonly sources: SourceList
  readonly repo: Repo | undefined
  readonly barrier: WriteBarrier
  readonly references: References | undefined
  readonly denylist?: Denylist | undefined
  readonly settings: BlockSettings
}

/** The local store first, then the sources of what is not here; what comes from there is kept. */
export class BlockService implements Blocks, Startable {
  readonly #blockstore: Blockstore
  /** The store; before the start without what is referred to. */
  #store: FastBlocks
  readonly #references: References | undefined
  readonly #sources: SourceList
  readonly #repo: Repo | undefined
  readonly #barrier: WriteBarrier
  readonly #denylist: Denylist | undefined
  readonly #settings: BlockSettings
  #verify: Verification = 'once'
  /** What was read and found whole. */
  readonly #whole = new WholeBlocks()

  constructor({ store, sources, repo, barrier, references, denylist, settings }: Parts) {
    this.#blockstore = store
    this.#store = fastBlocks(store)
    this.#references = references
    this.#sources = sources
    this.#repo = repo
    this.#barrier = barrier
    this.#denylist = denylist?.coversCalls === true ? denylist : undefined
    this.#settings = settings
  }

  start(): void {
    this.#store = storedAndReferred(this.#blockstore, this.#references)
    this.#verify = this.#settings.verifyOnRead ?? (this.#repo?.get('Datastore.HashOnRead') === true ? 'all' : 'once')
  }

  async get(cid: CID, options?: BlockOptions): Promise<Uint8Array> {
    checkCidSecurity(cid)
    const { code, bytes: multihash, digest } = cid.multihash
    // a collection has to see what is stored, whoever may have it
    if (this.#denylist !== undefined && options?.checked !== true) await refuseDeniedBlock(this.#denylist, cid)
    if (code === IDENTITY) return digest
    const bytes = await this.#store.getBytes(multihash, options)
    if (bytes === undefined) return this.#fetch(cid, options)
    if (this.#verifies(multihash, options)) await this.#check(cid, bytes, options)
    return bytes
  }

  atHand(cid: CID, options?: BlockOptions): Uint8Array | undefined {
    if (this.#denylist !== undefined || !isCidSecure(cid)) return undefined
    const { code, bytes: multihash, digest } = cid.multihash
    if (code === IDENTITY) return digest
    if (!this.#verifies(multihash, options)) return this.#store.atHand?.(multihash)
    // a long one is hashed in turns, by who waits for it
    return this.#store.atHand?.(multihash, bytes => isHashedAtOnce(hashFunction(code), bytes) && this.#isWhole(cid, bytes) === true)
  }

  async readAll(cids: readonly CID[], options?: BlockOptions): Promise<readonly FoundBlock[]> {
    const secure = cids.filter(isPlain)
    const plain = this.#denylist === undefined || options?.checked === true ? secure : await withoutDenied(this.#denylist, secure)
    const multihashes = plain.map(({ multihash }) => multihash.bytes)
    const read = (await this.#store.readAll?.(multihashes, options)) ?? multihashes.map(each => this.#store.getBytes(each, options))
    const found =
      this.#verify === 'none'
        ? read
        : read.map((one, i) => (this.#verifies(multihashes[i]!, options) ? this.#wholeOf(plain[i]!, one) : one))
    if (plain.length === cids.length) return found
    const all = new Map(plain.map((cid, i) => [cid, found[i]]))
    return cids.map(cid => all.get(cid))
  }

  #verifies(multihash: Uint8Array, { asked = false, checked = false }: BlockOptions = {}): boolean {
    if (checked || this.#verify === 'all') return true
    if (this.#verify === 'none') return false
    return asked || (this.#verify === 'once' && this.#store.guards?.(multihash) !== true && !this.#whole.has(multihash))
  }

  /** Whether the bytes are those of the block, which is remembered. */
  #isWhole(cid: CID, bytes: Uint8Array, options?: BlockOptions): boolean | Promise<boolean> {
    const whole = isWhole(cid, bytes, options)
    if (whole instanceof Promise) return whole.then(is => this.#noted(cid, is))
    return this.#noted(cid, whole)
  }

  #noted({ multihash }: CID, isWhole: boolean): boolean {
    if (isWhole) this.#whole.add(multihash.bytes)
    else {
      this.#whole.delete(multihash.bytes)
      this.#store.doubt?.(multihash.bytes)
    }
    return isWhole
  }

  /** The bytes that were found, or undefined where they are not that block. */
  #wholeOf(cid: CID, found: FoundBlock): FoundBlock {
    if (found === undefined) return undefined
    if (found instanceof Promise)
      return found.then(async bytes => (bytes !== undefined && (await this.#isWhole(cid, bytes)) ? bytes : undefined))
    const whole = this.#isWhole(cid, found)
    if (whole instanceof Promise) return whole.then(is => (is ? found : undefined))
    return whole ? found : undefined
  }

  /** @throws E_BLOCK_CORRUPT */
  async #check(cid: CID, bytes: Uint8Array, options?: BlockOptions): Promise<void> {
    if (!(await this.#isWhole(cid, bytes, options))) throw blockErrors.E_BLOCK_CORRUPT(cidToString(cid))
  }

  async put(cid: CID, bytes: Uint8Array, options?: BlockOptions): Promise<void> {
    checkCidSecurity(cid)
    const { code, bytes: multihash } = cid.multihash
    if (code === IDENTITY) return
    const removing = this.#barrier.storing(multihash, options)
    if (removing !== undefined) await removing
    await this.#store.putBytes(multihash, bytes, options)
    this.#sources.notify([{ cid, bytes }])
  }

  async putAll(blocks: readonly Block[], options?: BlockOptions): Promise<void> {
    for (const { cid } of blocks) checkCidSecurity(cid)
    const stored = blocks.filter(({ cid }) => cid.multihash.code !== IDENTITY)
    const removing = stored.map(({ cid }) => this.#barrier.storing(cid.multihash.bytes, options)).at(-1)
    if (removing !== undefined) await removing
    await this.#store.putAll(
      stored.map(({ cid, bytes }) => ({ multihash: cid.multihash.bytes, bytes })),
      options
    )
    this.#sources.notify(stored)
  }

  async refer(cid: CID, place: Place, options?: BlockOptions): Promise<void> {
    if (this.#references === undefined) throw commonErrors.E_SERVICE_ABSENT('add', 'nocopy', 'filestore')
    checkCidSecurity(cid)
    const { code, bytes: multihash } = cid.multihash
    if (code === IDENTITY) return
    const removing = this.#barrier.storing(multihash, options)
    if (removing !== undefined) await removing
    if (await fastBlocks(this.#blockstore).hasMultihash(multihash, options)) return
    await this.#references.add(multihash, place, options)
  }

  reading(root: CID): Lease | Promise<Lease> {
    return this.#barrier.reading(root)
  }

  async has({ multihash }: CID, options?: BlockOptions): Promise<boolean> {
    return multihash.code === IDENTITY || this.#store.hasMultihash(multihash.bytes, options)
  }

  async hasAll(cids: readonly CID[], options?: BlockOptions): Promise<readonly boolean[]> {
    if (this.#store.hasAll === undefined) return this.#hasEach(cids, options)
    const stored = cids.filter(({ multihash }) => multihash.code !== IDENTITY)
    const found = await this.#store.hasAll(
      stored.map(({ multihash }) => multihash.bytes),
      options
    )
    if (stored.length === cids.length) return found
    const left = found.values()
    return cids.map(({ multihash }) => multihash.code === IDENTITY || left.next().value === true)
  }

  async #hasEach(cids: readonly CID[], options: BlockOptions | undefined): Promise<boolean[]> {
    const found: boolean[] = []
    for (let at = 0; at < cids.length; at += AT_ONCE) {
      found.push(...(await Promise.all(cids.slice(at, at + AT_ONCE).map(cid => this.has(cid, options)))))
    }
    return found
  }

  async size(cid: CID, options?: BlockOptions): Promise<number> {
    checkCidSecurity(cid)
    const { code, bytes: multihash, digest } = cid.multihash
    if (code === IDENTITY) return digest.byteLength
    return (await this.#store.sizeOf(multihash, options)) ?? (await this.#fetch(cid, options)).byteLength
  }

  async delete({ multihash }: CID, options?: BlockOptions): Promise<boolean> {
    return multihash.code === IDENTITY || this.#store.deleteMultihash(multihash.bytes, options)
  }

  async *list(options?: BlockOptions): AsyncGenerator<CID> {
    for await (const multihash of this.#store.listMultihashes(options)) yield CID.createV1(RAW, decode(multihash))
  }

  /** Where there may be references, the reference names what it misses by hash alone: as version 1, raw. */
  #missing(cid: CID): string {
    return cidToString(this.#references?.isEnabled ? CID.createV1(RAW, cid.multihash) : cid)
  }

  async #fetch(cid: CID, options: BlockOptions = {}): Promise<Uint8Array> {
    const { signal, offline, also = [] } = options
    if (offline === true || this.#sources.size + also.length === 0) throw blockErrors.E_BLOCK_NOT_FOUND(this.#missing(cid))
    await refuseDeniedBlock(this.#denylist, cid)
    const bytes = await this.#sources.get(cid, signal, bytes => this.#check(cid, bytes, options), also)
    const multihash = cid.multihash.bytes
    const removing = this.#barrier.storing(multihash, options)
    if (removing !== undefined) await removing
    await this.#store.putBytes(multihash, bytes)
    this.#sources.notify([{ cid, bytes }])
    return bytes
  }
}

/** Whether nothing but the store has a say in whether a block is there. */
function isPlain(cid: CID): boolean {
  return isCidSecure(cid) && cid.multihash.code !== IDENTITY
}

function isWhole({ multihash: { code, size, digest } }: CID, bytes: Uint8Array, options?: BlockOptions): boolean | Promise<boolean> {
  const made = digestInTurns(hashFunction(code), bytes, size, options)
  return made instanceof Promise ? made.then(all => Buffer.compare(all, digest) === 0) : Buffer.compare(made, digest) === 0
}

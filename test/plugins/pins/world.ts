import { createHash } from 'node:crypto'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { type BlockOptions, type Blocks, blockErrors, type Datastore } from '../../../core/index.ts'
import { Barrier } from '../../../plugins/blocks/barrier.ts'
import { DagEngine } from '../../../plugins/dag/engine.ts'
import { PinStore } from '../../../plugins/pins/store/store.ts'
import { MemoryBlockstore } from '../../../plugins/storage-memory/blockstore.ts'
import { MemoryDatastore } from '../../../plugins/storage-memory/datastore.ts'
import { all } from '../../helpers/streams.ts'

const RAW = 0x55

/** Blocks in memory, and others that can be fetched; every read is written down. */
export class WatchedBlocks implements Blocks {
  readonly stored = new Map<string, Uint8Array>()
  readonly remote = new Map<string, Uint8Array>()
  /** Texts of the CIDs that were read, or looked for, in order. */
  readonly reads: string[] = []
  /** Called before a read is answered; may wait. */
  beforeRead: (count: number, options: BlockOptions, cid: CID) => Promise<void> | void = () => {}

  async get(cid: CID, options: BlockOptions = {}): Promise<Uint8Array> {
    this.reads.push(cid.toString())
    await this.beforeRead(this.reads.length, options, cid)
    options.signal?.throwIfAborted()
    const bytes = this.stored.get(keyOf(cid)) ?? (options.offline ? undefined : this.remote.get(keyOf(cid)))
    if (bytes === undefined) throw blockErrors.E_BLOCK_NOT_FOUND(cid.toString())
    this.stored.set(keyOf(cid), bytes)
    return bytes
  }

  async has(cid: CID, options: BlockOptions = {}): Promise<boolean> {
    this.reads.push(cid.toString())
    await this.beforeRead(this.reads.length, options, cid)
    options.signal?.throwIfAborted()
    return this.stored.has(keyOf(cid))
  }

  hasAll?: Blocks['hasAll']
  readAll?: Blocks['readAll']

  /** The bytes that are stored, which is no read. */
  peek(cid: CID): Uint8Array | undefined {
    return this.stored.get(keyOf(cid))
  }

  async put(cid: CID, bytes: Uint8Array): Promise<void> {
    this.stored.set(keyOf(cid), bytes)
  }

  async putAll(blocks: ReadonlyArray<{ cid: CID; bytes: Uint8Array }>): Promise<void> {
    for (const { cid, bytes } of blocks) await this.put(cid, bytes)
  }

  async size(cid: CID): Promise<number> {
    return (await this.get(cid)).length
  }

  async delete(cid: CID): Promise<boolean> {
    return this.stored.delete(keyOf(cid))
  }

  async *list(): AsyncGenerator<CID> {}
}

function keyOf(cid: CID): string {
  return Buffer.from(cid.multihash.bytes).toString('hex')
}

export interface World {
  readonly blocks: WatchedBlocks
  readonly datastore: Datastore
  readonly dag: DagEngine
  readonly pins: PinStore
  /** A node over the same stores, as after a restart; its pins perhaps in another datastore. */
  restarted(over?: Datastore): PinStore
  /** Stores a leaf without links. */
  leaf(text: string): CID
  /** Stores a node with these links. */
  node(...links: CID[]): CID
}

export function world({ datastore = new MemoryDatastore() }: { datastore?: Datastore } = {}): World {
  const blocks = new WatchedBlocks()
  const dag = new DagEngine(blocks, { maxVisits: 1_000_000 } as ConstructorParameters<typeof DagEngine>[1])
  const barrier = new Barrier()
  const restarted = (over = datastore) => new PinStore(over, new MemoryBlockstore(), blocks, dag, barrier)
  return {
    blocks,
    datastore,
    dag,
    pins: restarted(),
    restarted,
    leaf: text => store(blocks, Buffer.from(text), RAW),
    node: (...links) =>
      store(blocks, dagPb.encode({ Links: links.map((Hash, i) => ({ Hash, Name: `${i}`.padStart(6, '0'), Tsize: 1 })) }), dagPb.code)
  }
}

function store(blocks: WatchedBlocks, bytes: Uint8Array, codec: number): CID {
  const cid = CID.createV1(codec, create(0x12, createHash('sha256').update(bytes).digest()))
  blocks.stored.set(keyOf(cid), new Uint8Array(bytes))
  return cid
}

/** A tree of nodes: `width` below each, `depth` levels of them above the leaves. */
export function tree({ leaf, node }: World, width: number, depth: number, name = 'tree'): { root: CID; cids: string[] } {
  const cids: string[] = []
  const grow = (path: string, levels: number): CID => {
    const cid = levels === 0 ? leaf(path) : node(...Array.from({ length: width }, (_, i) => grow(`${path}/${i}`, levels - 1)))
    cids.push(cid.toString())
    return cid
  }
  return { root: grow(name, depth), cids }
}

export async function pinned(pins: PinStore): Promise<string[]> {
  return (await all(pins.list())).map(({ text, mode, name }) => `${text} ${mode} ${name}`.trim()).sort()
}

export async function keys(datastore: Datastore, prefix = '/pins/'): Promise<string[]> {
  return (await all(datastore.queryKeys({ prefix }))).map(String)
}

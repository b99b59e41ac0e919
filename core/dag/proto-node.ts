/** Nodes that commands look at and change link by link (object/*, tar/*), over the same reader and writer. */
import type { CID } from 'multiformats/cid'
import { DAG_PB, IDENTITY, SHA2_256 } from '../cid/codes.ts'
import { checkCidSecurity } from '../cid/hashes.ts'
import { type CidPrefix, sumCidInTurns } from '../cid/sum.ts'
import type { Dag } from '../services/content/dag.ts'
import type { PathResolver } from '../services/content/paths.ts'
import type { BlockOptions, Blocks } from '../services/storage/blocks.ts'
import { unixfsErrors } from '../unixfs/export/errors.ts'
import { MOST_INLINE } from '../unixfs/import/builder.ts'
import { importErrors } from '../unixfs/import/errors.ts'
import { writeSorted } from './codecs/dag-pb.ts'
import { readPb } from './pb.ts'

/** A link of a dag-pb node that is looked at or changed. */
export interface ProtoLink {
  readonly name: string
  readonly cid: CID
  /** Tsize; 0 where the block has none. */
  readonly size: bigint
}

/** A dag-pb node that is looked at or changed, with the prefix that its CID has and that of a changed one gets (boxo 0.19, ipld/merkledag). */
export interface ProtoNode {
  readonly links: readonly ProtoLink[]
  readonly data: Uint8Array
  readonly prefix: CidPrefix
}

/** A node that was stored: its CID, and the size of its block and all that its links say is below. */
export interface StoredNode {
  readonly cid: CID
  readonly size: bigint
}

const NO_DATA = new Uint8Array(0)

/** The prefix of a new node: version 0, dag-pb, sha2-256. */
export const PREFIX_V0: CidPrefix = { version: 0, codec: DAG_PB, hash: SHA2_256 }

/** The version, codec and hash that the CIDs of blocks named alike have in common. */
function prefixOf({ version, code, multihash }: CID): CidPrefix {
  return { version: version as 0 | 1, codec: code, hash: multihash.code, length: multihash.digest.length }
}

/** @throws E_NOT_PROTOBUF for a block of another codec, E_PB_… for a broken one */
export function readProtoNode(cid: CID, bytes: Uint8Array): ProtoNode {
  if (cid.code !== DAG_PB) throw unixfsErrors.E_NOT_PROTOBUF()
  return protoNodeOf(bytes, prefixOf(cid))
}

/** A dag-pb block as a node that is to have this prefix. @throws E_PB_… for a broken one */
export function protoNodeOf(bytes: Uint8Array, prefix: CidPrefix): ProtoNode {
  const { links, data = NO_DATA } = readPb(bytes)
  return { links: links.map(({ cid, name = '', tsize = 0 }) => ({ name, cid, size: BigInt(tsize) })), data, prefix }
}

/** The dag-pb node that a path leads to. @throws E_NOT_PROTOBUF for any other, and what resolving and loading it does */
export async function loadProtoNode(
  path: string,
  { blocks, paths }: { readonly blocks: Pick<Blocks, 'get'>; readonly paths: Pick<PathResolver, 'resolve'> },
  options: BlockOptions
): Promise<{ readonly cid: CID; readonly bytes: Uint8Array; readonly node: ProtoNode }> {
  const { cid } = await paths.resolve(path, options)
  const bytes = await blocks.get(cid, options)
  return { cid, bytes, node: readProtoNode(cid, bytes) }
}

/** Links sorted by name, each with name and size, then the data, where there are some. @throws E_PB_LINK_TSIZE, E_ENCODED_TOO_LARGE */
export function encodeProtoNode({ links, data }: Pick<ProtoNode, 'links' | 'data'>, limit?: number): Uint8Array {
  const sized = links.map(({ name, cid, size }) => ({ cid, name, tsize: BigInt.asIntN(64, size) }))
  return writeSorted({ links: sized, data: data.length > 0 ? data : undefined }, limit)
}

/** The size of a block and all below it, as its links tell. */
export function cumulativeSizeOf(block: Uint8Array, links: readonly Pick<ProtoLink, 'size'>[]): bigint {
  return BigInt.asUintN(
    64,
    links.reduce((sum, { size }) => sum + size, BigInt(block.length))
  )
}

/** How nodes are stored. */
export interface StoreParts {
  readonly blocks: Pick<Blocks, 'put'>
  readonly dag: Pick<Dag, 'hasher'>
}

/** Names a node as its prefix says, and stores it. @throws E_HASH_INSECURE and its kin, E_INLINE_TOO_LONG, E_ENCODED_TOO_LARGE */
export async function storeProtoNode(
  node: ProtoNode,
  { blocks, dag }: StoreParts,
  options: BlockOptions & { readonly signal: AbortSignal }
): Promise<StoredNode> {
  const bytes = encodeProtoNode(node)
  const { prefix } = node
  if (prefix.hash === IDENTITY && bytes.length > MOST_INLINE) throw importErrors.E_INLINE_TOO_LONG(bytes.length, MOST_INLINE)
  const cid = await sumCidInTurns(prefix, bytes, options, dag.hasher(prefix.hash))
  checkCidSecurity(cid)
  await blocks.put(cid, bytes, options)
  return { cid, size: cumulativeSizeOf(bytes, node.links) }
}

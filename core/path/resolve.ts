import type { CID } from 'multiformats/cid'
import { DAG_PB } from '../cid/codes.ts'
import { cidToString, copyOfCid } from '../cid/parse.ts'
import { dagErrors } from '../dag/errors.ts'
import { kindOf, type Node, plain, Typed } from '../dag/model.ts'
import { lookup } from '../dag/walk/lookup.ts'
import { hasCode, prefixed } from '../errors.ts'
import { goQuote } from '../go/quote.ts'
import type { BlockOptions } from '../services/storage/blocks.ts'
import { turnBefore } from '../turns.ts'
import { decodeUnixFs, type UnixFsData } from '../unixfs/export/data.ts'
import { findEntry, findLink } from '../unixfs/export/directory.ts'
import { readShard, type Shard } from '../unixfs/export/hamt.ts'
import { decodeBlock, type LoadedBlock, type Sources } from '../unixfs/export/node.ts'
import { UnixFsType } from '../unixfs/types.ts'
import { pathErrors } from './errors.ts'

/** Where a path ends. */
export interface Destination {
  /** The last block on the way. It was not loaded, if the path ends at its root. */
  readonly cid: CID
  /** The rest of the path inside that block: `''` or `/a/b`. */
  readonly remainder: string
}

/** How segments are followed. */
export interface SegmentOptions extends BlockOptions {
  /** Gets, for each segment that was followed, the block that it led to or into. */
  readonly trace?: CID[] | undefined
}

/** The view that the next segment has of a block. */
type View =
  | { readonly as: 'directory'; readonly root: LoadedBlock; readonly shard: Shard | undefined }
  | { readonly as: 'links'; readonly root: LoadedBlock }
  | { readonly as: 'large-file' }
  | { readonly as: 'value'; readonly value: Node }

/**
 * Follows `segments` from a block: in `ipfs` through directories, plain and sharded, and the links of dag-pb blocks by name, through all
 * other codecs by map key and list index; in `ipld` by the data model alone. Loads a block only where a segment has to be looked up in
 * it. (Kubo 0.28, boxo/path/resolver with go-unixfsnode)
 *
 * @throws E_LINK_MISSING, the data model's E_KEY_NOT_FOUND, E_SEGMENT_INVALID and E_WRONG_KIND for the last segment, what loading a
 * block throws (with the path so far, but for the root)
 */
export async function resolveSegments(
  namespace: 'ipfs' | 'ipld',
  root: CID,
  segments: readonly string[],
  sources: Sources,
  options?: SegmentOptions
): Promise<Destination> {
  if (segments.length === 0) return { cid: root, remainder: '' }
  let cid = root
  /** The number of segments that lead to the block `cid`. */
  let taken = 0
  let view = await load(namespace, cid, () => segments, sources, options)
  for (let i = 0; ; i++) {
    const segment = segments[i]!
    const last = i === segments.length - 1
    const found = await step(view, segment, sources, options).catch(error => {
      options?.signal?.throwIfAborted()
      throw (last && !hasCode(error, 'E_NO_SUCH_FIELD')) || hasCode(error, 'E_DENIED')
        ? error
        : pathErrors.E_LINK_MISSING(segment, cidToString(cid))
    })
    if (kindOf(found) !== 'link') {
      options?.trace?.push(cid)
      if (last) return { cid, remainder: `/${segments.slice(taken).join('/')}` }
      view = { as: 'value', value: found }
      continue
    }
    cid = copyOfCid(plain(found) as CID)
    options?.trace?.push(cid)
    if (last) return { cid, remainder: '' }
    taken = i + 1
    view = await load(namespace, cid, () => segments.slice(taken), sources, options).catch(error => {
      const path = goQuote(segments.slice(0, taken).join('/'))
      throw prefixed(`error traversing node at ${path}: could not load link ${goQuote(cidToString(cid))}: `, error)
    })
  }
}

/** @param path - the segments that are followed from the block on */
async function load(
  namespace: 'ipfs' | 'ipld',
  cid: CID,
  path: () => readonly string[],
  { blocks, codecs }: Sources,
  options?: BlockOptions
): Promise<View> {
  const bytes = blocks.atHand?.(cid, options) ?? (await blocks.get(cid, options))
  await turnBefore(cid.code, bytes, options?.signal)
  if (namespace === 'ipfs' && cid.code === DAG_PB) return viewOfPb(decodeBlock(cid, bytes, codecs))
  const codec = codecs.codec(cid.code)
  return { as: 'value', value: (codec.along?.(bytes, path()) ?? codec.decode(bytes)) as Node }
}

/** The view of a dag-pb block by UnixFS; one that it cannot read is a node with named links. */
function viewOfPb(root: LoadedBlock): View {
  const unixfs = tryUnixFs(root)
  switch (unixfs?.type) {
    case UnixFsType.Directory:
      return { as: 'directory', root, shard: undefined }
    case UnixFsType.HAMTShard:
      return { as: 'directory', root, shard: readShard(unixfs, root.node, root.cid) }
    case UnixFsType.File:
    case UnixFsType.Raw:
      if (root.node.length > 0) return { as: 'large-file' }
      return { as: 'value', value: unixfs.data === undefined ? new Uint8Array(0) : new Typed('data.Bytes', unixfs.data) }
  }
  return { as: 'links', root }
}

function tryUnixFs({ node }: LoadedBlock): UnixFsData | undefined {
  try {
    return node.data && decodeUnixFs(node.data)
  } catch {
    return undefined
  }
}

async function step(view: View, segment: string, sources: Sources, options?: BlockOptions): Promise<Node> {
  switch (view.as) {
    case 'value':
      return lookup(view.value, segment)
    case 'large-file':
      throw pathErrors.E_FILE_HAS_NO_LINKS()
  }
  const cid = view.as === 'links' ? findLink(view.root.node, segment) : await findEntry(view, segment, sources, options)
  if (cid === undefined) throw dagErrors.E_NO_SUCH_FIELD(segment)
  return cid
}

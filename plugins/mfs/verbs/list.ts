import type { CID } from 'multiformats/cid'
import { Reads } from '../../../core/blocks/reads.ts'
import { cidToString } from '../../../core/cid/parse.ts'
import type { BlockOptions, DirectoryEntry, MfsEntry } from '../../../core/index.ts'
import { UnixFsExporter } from '../../../core/unixfs/export/exporter.ts'
import { decodeBlock } from '../../../core/unixfs/export/node.ts'
import type { Context } from '../context.ts'
import { splitPath } from '../paths.ts'
import { kindOf } from '../tree/kind.ts'
import { nodeAt } from './node.ts'

/** Entries that are looked at together. */
const BATCH = 128

/** Entries of a directory in the order of its links, or a file itself. (boxo 0.19, mfs/dir.go) */
export async function* list(
  context: Context,
  path: string,
  { long = false, ...options }: BlockOptions & { long?: boolean } = {}
): AsyncGenerator<MfsEntry> {
  const at = await nodeAt(context, path, options, true)
  if ('kind' in at) {
    const { name } = splitPath(path)
    yield long ? { name, isSelf: true, node: { cid: at.cid, type: 'file', size: at.kind.size } } : { name }
    return
  }
  const entries = found(context, at.cid, options)
  if (!long) {
    for await (const { name } of entries) yield { name }
    return
  }
  const reads = new Reads(context.parts.blocks)
  let batch: Array<{ name: string; cid: CID }> = []
  for await (const { name, cid } of entries) {
    batch.push({ name, cid })
    if (batch.length < BATCH) continue
    yield* await looked(batch, reads, context, options)
    batch = []
  }
  yield* await looked(batch, reads, context, options)
}

/** The entries of a directory. For its next shard others are asked about as long as for any block of the tree. @throws E_MFS_NOT_FOUND */
async function* found({ parts, nodes }: Context, cid: CID, { signal, offline }: BlockOptions): AsyncGenerator<DirectoryEntry> {
  const late = new AbortController()
  let isAwaited = true
  let cameSince = false
  const timer = setInterval(() => {
    if (isAwaited && !cameSince) late.abort()
    cameSince = false
  }, nodes.search)
  try {
    const either = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal])
    // what a full disk did not take is in memory
    const unixfs = nodes.isWaiting ? new UnixFsExporter({ blocks: nodes, codecs: parts.dag }) : parts.unixfs
    for await (const entry of unixfs.list(cid, { signal: either, offline })) {
      isAwaited = false
      yield entry
      isAwaited = cameSince = true
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw late.signal.aborted ? nodes.notFound(`a shard of the directory ${cidToString(cid)}`) : error
  } finally {
    clearInterval(timer)
  }
}

function looked(
  batch: ReadonlyArray<{ name: string; cid: CID }>,
  reads: Reads,
  { parts, nodes }: Context,
  options: BlockOptions
): Promise<MfsEntry[]> {
  return Promise.all(
    batch.map(async ({ name, cid }) => {
      const stored = await reads.get(cid, { ...options, offline: true }).catch(() => undefined)
      const { type, size } = kindOf(stored === undefined ? await nodes.find(cid, options) : decodeBlock(cid, stored, parts.dag))
      return { name, node: { cid, type: type === 'directory' ? 'directory' : 'file', size } } as const
    })
  )
}

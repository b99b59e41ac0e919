import type { CID } from 'multiformats/cid'
import { unlessAborted } from '../../core/abort.ts'
import { RAW } from '../../core/cid/codes.ts'
import { cidToString } from '../../core/cid/parse.ts'
import { walk } from '../../core/dag/walk/walk.ts'
import { byteString } from '../../core/go/utf8.ts'
import type { Announced, BlockOptions, Blocks, Dag, Datastore, Pins, WriteBarrier } from '../../core/index.ts'
import { whyKept } from './pinned.ts'

interface Parts {
  readonly blocks: Blocks
  readonly barrier: WriteBarrier
  readonly pins: Pins | undefined
  readonly datastore: Datastore | undefined
  readonly dag: Dag | undefined
}

/** The outcome for a block: why it stays, or whether it was there. */
export type Removed = { readonly cid: CID; readonly why: string } | { readonly cid: CID; readonly wasThere: boolean }

const NOTHING = new Uint8Array()

/**
 * Removes blocks that no pin keeps, in their order. One that somebody stored under a lease that is still held, or that a root reaches which
 * is about to be kept, waits until that is over, and is then looked at again.
 */
export async function* removeUnpinned(cids: readonly CID[], parts: Parts, how: BlockOptions): AsyncGenerator<Removed> {
  const { blocks, barrier, pins } = parts
  const left = [...cids]
  while (left.length > 0) {
    const removal = barrier.removal()
    let busy: Promise<void> | undefined
    try {
      await pins?.forgetProgress()
      // All at once, as to know what is pinned indirectly means to walk what pins reach.
      const kept = await whyKept(parts, left, how)
      const soon = new Map<string, Promise<void>>()
      const look = (root: Announced) => findIn(root, parts, how, cid => soon.set(nameOf(cid), root.over))
      for (let cid = left[0]; cid !== undefined && busy === undefined; cid = left[0]) {
        const why = kept(cidToString(cid))
        const remove = async () => {
          const { bytes } = cid!.multihash
          busy = soon.get(nameOf(cid!)) ?? removal.inUse(bytes) ?? (removal.hasSeen(bytes) ? Promise.resolve() : undefined)
          return busy === undefined && blocks.delete(cid!, how)
        }
        const wasThere = why === undefined && (await removal.run(look, remove))
        if (busy !== undefined) break
        left.shift()
        yield why === undefined ? { cid, wasThere } : { cid, why }
      }
    } finally {
      removal.release()
    }
    if (busy !== undefined) await unlessAborted(busy, how.signal)
  }
}

/** Names everything that there is of a root's graph here. */
async function findIn(root: Announced, { blocks, dag }: Parts, { signal }: BlockOptions, found: (cid: CID) => void): Promise<void> {
  if (!root.recursive || dag === undefined) return found(root.cid)
  const source = {
    get: (cid: CID) => (cid.code === RAW ? Promise.resolve(NOTHING) : blocks.get(cid, { signal, offline: true }).catch(() => NOTHING)),
    links: (cid: CID, bytes: Uint8Array) => {
      try {
        return bytes === NOTHING ? [] : dag.links(cid, bytes)
      } catch {
        return []
      }
    }
  }
  for await (const { cid } of walk(root.cid, source, { signal })) found(cid)
}

function nameOf({ multihash: { bytes } }: CID): string {
  return byteString(bytes)
}

import type { FastBlocks, WriteBarrier } from '../../core/index.ts'
import { faultOf } from './check.ts'

/**
 * Removes a damaged block, at a moment at which nobody stores; one that was stored anew since it was looked at stays.
 *
 * @returns whether it is gone
 */
export async function dropDamaged(
  multihash: Uint8Array,
  { store, barrier, signal }: { readonly store: FastBlocks; readonly barrier: WriteBarrier | undefined; readonly signal: AbortSignal }
): Promise<boolean> {
  const drop = async () => {
    const bytes = await store.getBytes(multihash).catch(() => undefined)
    if (bytes !== undefined && (await faultOf(multihash, bytes, signal)) === undefined) return false
    return store.deleteMultihash(multihash)
  }
  if (barrier === undefined) return drop()
  const removal = barrier.removal()
  try {
    return await removal.run(async () => {}, drop)
  } finally {
    removal.release()
  }
}

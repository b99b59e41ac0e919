import type { References, WriteBarrier } from '../../core/index.ts'
import type { Listed } from './listing.ts'

/** Takes back what is noted of a block, at a moment at which nobody stores; what was noted anew since it was looked at stays. */
export async function forgetBad(
  multihash: Uint8Array,
  { FilePath, Offset }: Pick<Listed, 'FilePath' | 'Offset'>,
  { references, barrier }: { readonly references: References; readonly barrier: WriteBarrier | undefined }
): Promise<void> {
  const forget = async () => {
    const now = await references.get(multihash)
    if (now?.path === FilePath && now.offset === Offset) await references.delete(multihash)
  }
  if (barrier === undefined) return forget()
  const removal = barrier.removal()
  try {
    await removal.run(async () => {}, forget)
  } finally {
    removal.release()
  }
}

import { type Blockstore, type FastBlocks, fastBlocks, messageOf } from '../../../core/index.ts'
import { withRegularFile } from '../../../core/repo/index.ts'
import type { BlockFile, Flatfs } from '../kubo/flatfs.ts'
import type { Report } from '../report.ts'
import { faultOf } from '../verify.ts'

/** Files that are read at a time, each into memory of its own. */
const AT_ONCE = 16

/**
 * Stores the blocks of a folder: those that are not there yet, each held against its hash, by a second name of its file where the store can do
 * that. One that was broken off goes on where it was when it is begun again. Yields how many were looked at.
 */
export async function* takeBlocks(from: Flatfs, to: Blockstore, told: Report['Blocks'], signal: AbortSignal): AsyncGenerator<number> {
  const store = fastBlocks(to)
  let batch: BlockFile[] = []
  let done = 0
  const take = async () => {
    await takeAll(batch, store, told, signal)
    done += batch.length
    batch = []
    return done
  }
  for await (const file of from.files(signal)) if (batch.push(file) === AT_ONCE) yield await take()
  yield await take()
  await store.sync()
}

async function takeAll(files: readonly BlockFile[], store: FastBlocks, told: Report['Blocks'], signal: AbortSignal): Promise<void> {
  const multihashes = files.map(({ multihash }) => multihash)
  const there = (await store.hasAll?.(multihashes, { signal })) ?? (await Promise.all(multihashes.map(one => store.hasMultihash(one))))
  await Promise.all(
    files.map(async (file, i) => {
      if (there[i]) told.There++
      else await takeOne(file, store, told, signal)
    })
  )
}

async function takeOne({ path, multihash }: BlockFile, store: FastBlocks, told: Report['Blocks'], signal: AbortSignal): Promise<void> {
  const bytes = await withRegularFile(path, ({ whole }) => whole()).catch(messageOf)
  const fault = typeof bytes === 'string' ? bytes : await faultOf(multihash, bytes, signal)
  if (fault !== undefined || typeof bytes === 'string') {
    told.Damaged.push(`${path}: ${fault}`)
    return
  }
  if (await store.linkFile?.(multihash, path, bytes.length, { signal })) told.Linked++
  else {
    await store.putBytes(multihash, bytes, { signal })
    told.Copied++
  }
  told.Bytes += bytes.length
}

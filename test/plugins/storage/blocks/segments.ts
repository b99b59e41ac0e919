import { decodeValue } from '../../../../plugins/storage-rocksdb/blocks/values.ts'
import { openRocks } from '../backends.ts'
import { sample } from '../samples.ts'

export const KIB = 1024
export const large = sample(1, 9000)
/** About three blocks of 30 KB to a segment. */
export const settings = { segmentSize: 64 * KIB }

export type Opened = Awaited<ReturnType<typeof openRocks>>

export async function placeOf({ storage }: Opened, multihash: Uint8Array) {
  const found = decodeValue((await storage.database.get('blocks', multihash))!)
  if (found.kind !== 'segment') throw new Error(`it is ${found.kind}`)
  return found
}

/** As after a power loss: nothing is closed but the database, and the machine has started anew. */
export async function losePower({ storage }: Opened): Promise<void> {
  await storage.database.write([{ family: 'state', key: new TextEncoder().encode('boot'), value: new Uint8Array([1]) }])
  await storage.segments.close()
  await storage.database.close()
}

import type { KeyedLock } from '../../../core/keyed-lock.ts'
import { type BlockValue, decodeValue, nameOf } from '../blocks/values.ts'
import type { Database } from '../database/database.ts'
import type { Room } from '../room.ts'
import type { Lost } from './lost.ts'
import { isIntact } from './suspects.ts'
import { type Unsynced, type UnsyncedBlock, unmark } from './unsynced.ts'

/** The parts of the storage that a rescue reads from and writes to. */
interface Stored {
  readonly locks: KeyedLock
  readonly database: Pick<Database, 'get' | 'write'>
  readonly unsynced: Pick<Unsynced, 'add' | 'drop'>
  readonly room: Pick<Room, 'takeLarge'>
  readonly lost: Pick<Lost, 'add'>
  readFromDisk(multihash: Uint8Array, at: BlockValue): Promise<Uint8Array | undefined>
  writeToSegment(multihash: Uint8Array, bytes: Uint8Array): Promise<void>
  writeToFile(multihash: Uint8Array, bytes: Uint8Array): Promise<void>
}

/** Blocks on their way at a time. */
const AT_ONCE = 16

/**
 * Writes blocks once more that a failed sync may have lost: the system still has their bytes, as a rule, but takes them for written.
 * One whose bytes are gone is dropped, and noted as lost.
 */
export async function rescue(broken: readonly UnsyncedBlock[], storage: Stored): Promise<void> {
  const lost: Uint8Array[] = []
  for (let at = 0; at < broken.length; at += AT_ONCE) {
    const some = broken.slice(at, at + AT_ONCE)
    const rescued = await Promise.all(some.map(marked => rescueOne(marked, storage)))
    lost.push(...some.filter((_, i) => !rescued[i]).map(({ multihash }) => multihash))
  }
  if (lost.length > 0) storage.lost.add(lost)
}

/** @returns false where its bytes are lost */

function rescueOne(marked: UnsyncedBlock, storage: Stored): Promise<boolean> {
  const { multihash } = marked
  return storage.locks.run(nameOf(multihash), async () => {
    const value = await storage.database.get('blocks', multihash)
    const found = value && decodeValue(value)
    if (found === undefined || found.kind === 'inline') {
      await storage.database.write([unmark(multihash)])
      storage.unsynced.drop(multihash)
      return true
    }
    const segment = found.kind === 'segment' ? found.segment : undefined
    if (segment !== marked.segment) {
      storage.unsynced.add({ multihash, segment })
      return true
    }
    // twice: a read that went wrong once is no loss
    const bytes = (await intact(multihash, found, storage)) ?? (await intact(multihash, found, storage))
    if (bytes === undefined) {
      await storage.database.write([{ family: 'blocks', key: multihash, value: undefined }, unmark(multihash)])
      storage.unsynced.drop(multihash)
      return false
    }
    // A disk that fails again and again must not be filled by it.
    storage.room.takeLarge(found.size)
    await (found.kind === 'segment' ? storage.writeToSegment(multihash, bytes) : storage.writeToFile(multihash, bytes))
    return true
  })
}

async function intact(multihash: Uint8Array, found: BlockValue, storage: Stored): Promise<Uint8Array | undefined> {
  const bytes = await storage.readFromDisk(multihash, found)
  return bytes?.byteLength === found.size && isIntact(multihash, bytes) ? bytes : undefined
}

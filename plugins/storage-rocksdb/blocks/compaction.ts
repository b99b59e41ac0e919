import type { KeyedLock } from '../../../core/keyed-lock.ts'
import { isIntact } from '../durability/suspects.ts'
import type { Storage } from '../storage.ts'
import { decodeValue, nameOf, type Place } from './values.ts'

/** A segment of which less than this part is still in use is written anew without the rest. */
const WORTH_KEEPING = 0.75
/** The same where the disk is nearly full, so that little room is worth a lot of work. */
const WORTH_KEEPING_WHEN_FULL = 0.99

/** Blocks on their way at a time. */
const MOVED_AT_ONCE = 16

/**
 * Gives back the room of removed blocks: what is left of a segment that is mostly unused is appended once more, then the segment goes.
 * The emptiest come first, so that a full disk has room for the next. On a disk that is nearly full the database does the same with its tables.
 * Runs beside reads, puts and removals.
 *
 * @param locks - under which keys of blocks change
 */
export async function compact(storage: Storage, locks: KeyedLock, signal?: AbortSignal): Promise<void> {
  await compactSegments(storage, locks, signal)
  // The database gives back the room of small blocks when it merges its tables, which it does not hurry to. Where it cannot, nothing is lost.
  if (storage.room.isWorthMerging()) await storage.database.mergeTables('blocks').catch(() => {})
}

async function compactSegments(storage: Storage, locks: KeyedLock, signal: AbortSignal | undefined): Promise<void> {
  const { segments } = storage
  const used = new Map(segments.sealed().map(number => [number, 0]))
  if (used.size === 0) return
  for await (const { value } of storage.database.entries('blocks', {}, { signal })) {
    const found = decodeValue(value)
    const before = found.kind === 'segment' ? used.get(found.segment) : undefined
    if (found.kind === 'segment' && before !== undefined) used.set(found.segment, before + found.size)
  }
  // A key that a power loss brings back would find no segment; and what a collection that was broken off has moved may not be on the disk.
  await storage.sync()
  const emptiestFirst = [...used].sort(([, a], [, b]) => a - b)
  for (const [segment, bytes] of emptiestFirst) {
    signal?.throwIfAborted()
    const worthKeeping = storage.room.isTight() ? WORTH_KEEPING_WHEN_FULL : WORTH_KEEPING
    if (bytes > (await segments.sizeOf(segment)) * worthKeeping) continue
    if (bytes === 0 || (await moveOut(segment, bytes, storage, locks, signal))) await segments.remove(segment)
  }
}

interface PlacedBlock {
  readonly multihash: Uint8Array
  readonly place: Place
}

/** What became of a block that was to be moved. `gone`: no key names that place any more. */
type Outcome = 'moved' | 'gone' | 'damaged'

/**
 * Resolves when all that a segment held for a key lies elsewhere and survives power loss there. What is damaged stays where it is: its place may be
 * read better the next time.
 *
 * @param used - bytes of the blocks that had their keys there
 * @returns whether no key names the segment any more
 */
async function moveOut(
  segment: number,
  used: number,
  storage: Storage,
  locks: KeyedLock,
  signal: AbortSignal | undefined
): Promise<boolean> {
  const left = { bytes: used }
  const move = ({ multihash, place }: PlacedBlock) =>
    locks.run(nameOf(multihash), async (): Promise<Outcome> => {
      if (!(await isAt(storage, multihash, place))) return 'gone'
      const bytes = (await wholeAt(storage, multihash, place)) ?? (await wholeAt(storage, multihash, place))
      if (bytes === undefined) return 'damaged'
      await storage.moveToSegment(multihash, bytes)
      left.bytes -= place.size
      return 'moved'
    })
  // Several at a time share a sync.
  let moving: Array<Promise<Outcome>> = []
  try {
    for await (const found of storage.segments.records(segment)) {
      signal?.throwIfAborted()
      const moved = move(found)
      // Who waits for all of them is told. Where one fails before that, nobody waits for it yet.
      moved.catch(() => {})
      if (moving.push(moved) < MOVED_AT_ONCE) continue
      await Promise.all(moving)
      moving = []
    }
    await Promise.all(moving)
  } finally {
    await Promise.allSettled(moving)
  }
  // A head may be damaged, and behind a record that a power loss tore there may be whole ones: only their keys find such blocks.
  let isFree = true
  if (left.bytes > 0) for await (const found of keysIn(segment, storage, signal)) if ((await move(found)) === 'damaged') isFree = false
  await storage.sync()
  return isFree
}

/** The bytes of a block at a place, held against its hash. @returns undefined where they are not what they should be */
async function wholeAt(storage: Storage, multihash: Uint8Array, place: Place): Promise<Uint8Array | undefined> {
  const bytes = await storage.segments.read(place)
  return bytes?.byteLength === place.size && isIntact(multihash, bytes) ? bytes : undefined
}

async function* keysIn(segment: number, storage: Storage, signal: AbortSignal | undefined): AsyncGenerator<PlacedBlock> {
  for await (const { key, value } of storage.database.entries('blocks', {}, { signal })) {
    const place = decodeValue(value)
    if (place.kind === 'segment' && place.segment === segment) yield { multihash: key, place }
  }
}

async function isAt(storage: Storage, multihash: Uint8Array, place: Place): Promise<boolean> {
  // A check that is under way would take a block that was moved under its hands for a lost one.
  await storage.suspects.check(multihash)
  const value = await storage.database.get('blocks', multihash)
  const found = value && decodeValue(value)
  return found?.kind === 'segment' && found.segment === place.segment && found.offset === place.offset
}

import type { CID } from 'multiformats/cid'
import type { FastBlocks } from '../../../core/index.ts'
import { MOST_BYTES, type Presence } from '../wire/message.ts'
import type { PeerWant, PeerWants } from './peer-wants.ts'

/** A block up to this size is sent to who only asks whether it is here, in bytes (boxo, bitswap/server/internal/decision). */
const SMALL_BLOCK = 1024

/** Wants that are looked up together. */
const LOOK_UP = 32

/** Bytes of blocks in one message, at most: it has answers and prefixes as well. One block alone may have more. */
const MOST_BLOCKS = MOST_BYTES - (1 << 20)

/** Answers in one message, at most. */
const MOST_ANSWERS = 512

/** The answer to a peer in one message. */
interface Answers {
  readonly presences: readonly Presence[]
  /** Blocks to be sent, each with its size. */
  readonly blocks: ReadonlyArray<{ readonly cid: CID; readonly size: number }>
}

interface AnswerLimits {
  /** Bytes of blocks after which no more are added. */
  readonly target: number
  /** Size of the largest block that is sent. */
  readonly maxBlock: number
  /** Bytes that can be sent at all; of a block that has more the peer is told that it does not come. */
  readonly room: number
  /** Whether the peer's version of the protocol knows of presences. */
  readonly presences: boolean
}

/** Looks up what waits in `wants`, in order, until a message is full. What it answers is not in `wants` any more. */
export async function answersTo(
  wants: PeerWants,
  store: FastBlocks,
  { target, maxBlock, room, presences }: AnswerLimits
): Promise<Answers> {
  const said: Presence[] = []
  const blocks: Array<{ cid: CID; size: number }> = []
  let bytes = 0
  const isFull = () => bytes >= target || blocks.length + said.length >= MOST_ANSWERS
  while (!isFull()) {
    const looked = takeSome(wants)
    if (looked.length === 0) break
    await findSizes(looked, store)
    const left: PeerWant[] = []
    for (const want of looked) {
      if (!wants.isOpen(want)) continue
      const { cid, size, kind, sendDontHave } = want
      if (size === undefined || size > maxBlock) {
        if (wants.missing(want) && sendDontHave && presences) said.push({ cid, have: false })
      } else if (kind === 'have' && size > SMALL_BLOCK) {
        wants.done(want)
        if (presences) said.push({ cid, have: true })
      } else if (size > room - bytes) {
        wants.done(want)
        if (presences) said.push({ cid, have: false })
      } else if (isFull() || (blocks.length > 0 && bytes + size > MOST_BLOCKS)) left.push(want)
      else {
        wants.done(want)
        blocks.push({ cid, size })
        bytes += size
      }
    }
    if (left.length === 0) continue
    wants.putBack(left)
    break
  }
  return { presences: said, blocks }
}

function takeSome(wants: PeerWants): PeerWant[] {
  const some: PeerWant[] = []
  while (some.length < LOOK_UP) {
    const want = wants.take()
    if (want === undefined) break
    some.push(want)
  }
  return some
}

async function findSizes(wants: readonly PeerWant[], store: FastBlocks): Promise<void> {
  await Promise.all(
    wants.map(async want => {
      want.size ??= await store.sizeOf(want.cid.multihash.bytes)
    })
  )
}

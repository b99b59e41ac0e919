import type { CID } from 'multiformats/cid'
import type { AheadReader, ReadAhead } from '../../services/storage/read-ahead.ts'

/** Bytes of a part, where a piece may not go out as a whole. */
const PART = 32 << 10

/** A piece of a file that can be dropped, and read again from the leaf it is a part of. */
export class Piece {
  readonly cid: CID
  /** Where in the leaf's content it begins. */
  readonly from: number
  bytes: Uint8Array | undefined
  #length: number

  constructor(cid: CID, bytes: Uint8Array, from: number) {
    this.cid = cid
    this.bytes = bytes
    this.from = from
    this.#length = bytes.length
  }

  get length(): number {
    return this.#length
  }

  /** Leaves at most `length` bytes of it. */
  cut(length: number): void {
    if (length >= this.#length) return
    this.bytes = this.bytes?.subarray(0, length)
    this.#length = length
  }

  /** Drops its bytes. */
  drop(): void {
    this.bytes = undefined
  }
}

/**
 * Yields a piece: as it is where the budget allows that, else in copied parts between which the piece is only kept for as long as there is
 * room for it. A caller that reads nothing holds a part then, not a block.
 *
 * @param again - loads the leaf's content
 */
export async function* handOver(
  piece: Piece,
  again: (cid: CID) => Promise<Uint8Array>,
  budget: ReadAhead | undefined
): AsyncGenerator<Uint8Array> {
  const done = budget?.handOver(piece.length)
  if (budget !== undefined && done === undefined && piece.length > PART) {
    yield* inParts(piece, again, budget)
    return
  }
  try {
    yield piece.bytes!
  } finally {
    done?.()
  }
}

async function* inParts(piece: Piece, again: (cid: CID) => Promise<Uint8Array>, budget: ReadAhead): AsyncGenerator<Uint8Array> {
  const { cid, from, length } = piece
  const kept: AheadReader = {
    giveBack() {
      piece.drop()
      budget.release(kept)
    }
  }
  try {
    for (let at = 0; at < length; at += PART) {
      piece.bytes ??= (await again(cid)).subarray(from, from + length)
      const part = Buffer.from(piece.bytes.subarray(at, at + PART))
      if (at + PART < length && budget.room(length)) budget.take(kept, length)
      else piece.drop()
      yield part
      budget.release(kept)
    }
  } finally {
    budget.release(kept)
  }
}

import { rawCidToString } from '../../../core/cid/parse.ts'
import { multihashOf, nameOf } from '../blocks/values.ts'

/** Blocks that messages name. */
const MOST_NAMED = 5

/** Blocks that were stored, that the disk has lost before they were durable, and that nobody has stored again. They are not there any more. */
export class Lost {
  readonly #names = new Set<string>()
  readonly #tell: (reason: string | undefined) => void

  /** @param tell - of the first ones, and when there are none any more: undefined */
  constructor(tell: (reason: string | undefined) => void) {
    this.#tell = tell
  }

  get size(): number {
    return this.#names.size
  }

  all(): Uint8Array[] {
    return Array.from(this.#names, multihashOf)
  }

  add(multihashes: readonly Uint8Array[]): void {
    for (const multihash of multihashes) this.#names.add(nameOf(multihash))
    this.#tell(this.toString())
  }

  /** Call when a block is stored, or nobody wants it any more. */
  forget(multihash: Uint8Array): void {
    if (this.#names.size > 0 && this.#names.delete(nameOf(multihash))) this.#tell(this.#names.size === 0 ? undefined : this.toString())
  }

  /** Their CIDs, of the first ones. */
  toString(): string {
    const named = this.all()
      .slice(0, MOST_NAMED)
      .map(multihash => rawCidToString(multihash))
    const others = this.#names.size - named.length
    return others === 0 ? named.join(', ') : `${named.join(', ')} and ${others} more`
  }
}

import type { Lines } from '../../../core/binding/arguments.ts'
import { callErrors } from '../../../core/binding/errors.ts'
import { decodeUtf8 } from '../../../core/go/utf8.ts'
import type { BodyPart } from '../../../core/index.ts'

/** A body whose first part is a folder where lines were expected; the reference's handler breaks off then and answers nothing. */
export class NoFile extends Error {}

const LF = 10

/** The lines of an upload's first part, read one at a time: they end in LF or CR LF, the last one may end in nothing. */
export class BodyLines implements Lines {
  readonly #part: BodyPart
  readonly #most: number
  #bytes: AsyncIterator<Uint8Array> | undefined
  #held: Buffer = Buffer.alloc(0)
  #over = false
  #read = 0

  /** @param most - bytes of all lines together */
  constructor(part: BodyPart, most: number) {
    this.#part = part
    this.#most = most
  }

  /** @throws NoFile, E_ARGUMENTS_TOO_LONG, and what is wrong with the upload */
  async next(): Promise<string | undefined> {
    if (this.#part.kind === 'directory' || this.#part.path.indexOf('/', 1) > 0) throw new NoFile()
    this.#bytes ??= this.#part.bytes()[Symbol.asyncIterator]()
    for (;;) {
      const end = this.#held.indexOf(LF)
      if (end >= 0) return this.#line(end, end + 1)
      if (this.#over) return this.#held.length === 0 ? undefined : this.#line(this.#held.length, this.#held.length)
      const { done, value } = await this.#bytes.next()
      if (done === true) {
        this.#over = true
        continue
      }
      this.#read += value.length
      if (this.#read > this.#most) throw callErrors.E_ARGUMENTS_TOO_LONG(this.#most)
      this.#held =
        this.#held.length === 0 ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.concat([this.#held, value])
    }
  }

  #line(end: number, used: number): string {
    const line = this.#held.subarray(0, end)
    this.#held = this.#held.subarray(used)
    return decodeUtf8(used > end && line.at(-1) === 13 ? line.subarray(0, -1) : line)
  }
}

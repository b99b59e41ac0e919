import type { ServerResponse } from 'node:http'
import { byteString } from '../../../core/go/utf8.ts'
import type { BatchedEnds } from '../../http/batched-ends.ts'

/** Bytes that are put together before they are written. */
const BATCH_BYTES = 64 * 1024

/** Bytes of one answer after which others get a turn. */
const TURN_BYTES = 256 * 1024

/** The size from which on bytes are written as they are rather than copied into a batch. */
const LARGE_BYTES = 8 * 1024

/** The size up to which bytes that are the whole answer go out as text, one character a byte: with the head, in one write. */
export const SMALL_BYTES = 16 * 1024

/**
 * Writes the pieces of an answer. What is produced within one turn of the event loop goes out in one write at its end, and nothing waits
 * longer than that. `push` answers a promise when the client is behind; it settles when there is room, or when the client has left.
 */
export class BodyWriter {
  readonly #response: ServerResponse
  readonly #ends: BatchedEnds
  #text = ''
  #bytes: Uint8Array[] = []
  #size = 0
  #planned = false
  #wrote = false
  #sinceTurn = 0

  constructor(response: ServerResponse, ends: BatchedEnds) {
    this.#response = response
    this.#ends = ends
  }

  push(piece: string | Uint8Array): Promise<void> | undefined {
    if (typeof piece === 'string') {
      if (this.#bytes.length > 0) this.flush()
      this.#text += piece
    } else if (piece.length >= LARGE_BYTES) {
      this.flush()
      this.#wrote = true
      return this.#pace(this.#response.write(piece), piece.length)
    } else {
      this.#bytes.push(piece)
    }
    this.#size += piece.length
    if (this.#size >= BATCH_BYTES) {
      const size = this.#size
      return this.#pace(this.flush(), size)
    }
    if (!this.#planned) {
      this.#planned = true
      setImmediate(this.#onTurn)
    }
    return undefined
  }

  /** Writes what was put together. @returns false when the client is behind */
  flush(): boolean {
    const batch = this.#take()
    if (batch === undefined) return true
    this.#wrote = true
    return this.#response.write(batch)
  }

  /** Writes what was put together and ends the answer. */
  end(): void {
    const batch = this.#take()
    if (typeof batch === 'string' && !this.#wrote) this.endWith(batch)
    else this.#ends.add(this.#response, batch)
  }

  /**
   * Ends an answer of which nothing has been written with one piece of text. It goes out as its UTF-8, one character a byte: so does the
   * head, which is one text with it then, and Node.js copies such a text where it would write UTF-8 a character at a time.
   */
  endWith(text: string): void {
    this.#endWithByteText(byteString(text))
  }

  /** The same with at most {@link SMALL_BYTES} bytes. */
  endWithBytes(pieces: readonly Uint8Array[]): void {
    const text = pieces.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength).toString('latin1')).join('')
    this.#endWithByteText(text)
  }

  /** Frames the one chunk of a chunked answer, and the end after it, so that all goes out in a single write. */
  #endWithByteText(bytes: string): void {
    const response = this.#response
    const framed = response.chunkedEncoding && bytes !== ''
    if (framed) response.chunkedEncoding = false
    this.#ends.add(response, framed ? `${bytes.length.toString(16)}\r\n${bytes}\r\n0\r\n\r\n` : bytes, 'latin1')
  }

  /** Sends the head even if nothing follows it soon. */
  open(): void {
    process.nextTick(() => {
      if (!this.#response.writableEnded && !this.#response.destroyed) this.#response.flushHeaders()
    })
  }

  readonly #onTurn = (): void => {
    this.#planned = false
    if (!this.#response.writableEnded) this.flush()
  }

  #take(): string | Uint8Array | undefined {
    const batch =
      this.#text !== ''
        ? this.#text
        : this.#bytes.length === 0
          ? undefined
          : this.#bytes.length === 1
            ? this.#bytes[0]
            : Buffer.concat(this.#bytes)
    this.#text = ''
    if (this.#bytes.length > 0) this.#bytes = []
    this.#size = 0
    return batch
  }

  /** A client that takes what it gets at once makes room before anybody else had a turn. */
  #pace(room: boolean, size: number): Promise<void> | undefined {
    const drained = this.#written(room)
    const fair = this.#fair(size)
    return drained === undefined || fair === undefined ? (drained ?? fair) : drained.then(() => fair)
  }

  /** A wait for a turn of the event loop every so many bytes, so that a command that yields without waiting does not hold up other requests. */
  #fair(size: number): Promise<void> | undefined {
    this.#sinceTurn += size
    if (this.#sinceTurn < TURN_BYTES) return undefined
    this.#sinceTurn = 0
    return turn()
  }

  #written(room: boolean): Promise<void> | undefined {
    if (room || this.#response.destroyed) return undefined
    return new Promise(resolve => {
      const response = this.#response
      const done = () => {
        response.off('drain', done)
        response.off('close', done)
        resolve()
      }
      response.on('drain', done)
      response.on('close', done)
    })
  }
}

function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

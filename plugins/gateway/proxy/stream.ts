import { Duplex } from 'node:stream'
import type { PeerStream } from '../../../core/index.ts'

/** A stream with a peer as Node.js has connections: nothing is read from it, or written to it, that the other side does not wait for. */
export class PeerSocket extends Duplex {
  readonly #stream: PeerStream
  readonly #pieces: AsyncIterator<Uint8Array>

  constructor(stream: PeerStream) {
    super()
    this.#stream = stream
    this.#pieces = stream[Symbol.asyncIterator]()
  }

  override _read(): void {
    this.#pieces.next().then(
      step => this.push(step.done === true ? null : step.value),
      error => this.destroy(error)
    )
  }

  override _write(piece: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    // a copy: the memory of the piece is its writer's again
    this.#stream.write(Uint8Array.from(piece)).then(() => done(), done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#stream.end().then(() => done(), done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // of a stream that has ended both ways nothing is left to tear
    this.#stream.abort(error ?? undefined)
    done(error)
  }
}

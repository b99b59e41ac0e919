import type { IncomingMessage } from 'node:http'
import type { Body, BodyPart } from '../../../core/index.ts'
import type { HeaderFields } from './header.ts'
import { partOf } from './part.ts'
import { Splitter, type SplitterEvents, type SplitterLimits } from './splitter.ts'

/** A part as it was split off. */
interface SplitPart {
  readonly header: HeaderFields
  readonly pieces: Buffer[]
  /** The error behind its data, where the body ended inside it. */
  error?: Error
}

const EMPTY = Buffer.alloc(0)

/** Whether a request came with all of its body, and nobody has to be asked for the rest. */
export function hasCome({ complete, headers }: IncomingMessage): boolean {
  return complete && headers.expect === undefined
}

/**
 * The parts of a multipart request that has come to its end already, as small ones have that come with their header. They are split in one
 * go, with no stream in between; what they are and which errors they have is as of an `Upload`.
 */
export class WholeUpload implements Body, SplitterEvents {
  readonly #request: IncomingMessage
  readonly #boundary: string
  readonly #limits: SplitterLimits
  #parts: SplitPart[] | undefined
  #next = 0
  /** The error that the body ends in. */
  #failure: Error | undefined

  constructor(request: IncomingMessage, boundary: string, limits: SplitterLimits) {
    this.#request = request
    this.#boundary = boundary
    this.#limits = limits
  }

  [Symbol.asyncIterator](): AsyncIterator<BodyPart> {
    return { next: () => this.#nextPart() }
  }

  get only(): BodyPart | undefined {
    const [split, second] = this.#split()
    if (split === undefined || second !== undefined || split.error !== undefined || this.#failure !== undefined) return undefined
    try {
      return this.#partOf(split, 0)
    } catch {
      // who reads it is told what is wrong with it
      return undefined
    }
  }

  async #nextPart(): Promise<IteratorResult<BodyPart>> {
    const split = this.#split()[this.#next]
    if (split === undefined) {
      if (this.#failure !== undefined) throw this.#failure
      return { done: true, value: undefined }
    }
    const part = this.#partOf(split, ++this.#next)
    if (part !== undefined) return { done: false, value: part }
    // a part without a name of any kind ends the upload, as it does in boxo/files
    this.#parts = []
    this.#failure = undefined
    return { done: true, value: undefined }
  }

  /** @param at - the count of parts that were asked for when this one was */
  #partOf(split: SplitPart, at: number): BodyPart | undefined {
    const { header, pieces, error } = split
    const isWhole = error === undefined && pieces.length <= 1
    return partOf(header, () => this.#bytesOf(at, split), isWhole ? (pieces[0] ?? EMPTY) : undefined)
  }

  #split(): SplitPart[] {
    if (this.#parts !== undefined) return this.#parts
    this.#parts = []
    const splitter = new Splitter(this.#boundary, this, this.#limits)
    const bytes = this.#request.read() as Buffer | null
    if (bytes !== null) splitter.write(bytes)
    splitter.end()
    return this.#parts
  }

  /** Nothing once another part was asked for. */
  async *#bytesOf(at: number, { pieces, error }: SplitPart): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      if (this.#next !== at) return
      yield piece
    }
    if (error !== undefined && this.#next === at) throw error
  }

  part(header: HeaderFields): void {
    this.#parts!.push({ header, pieces: [] })
  }

  data(bytes: Buffer): void {
    this.#parts!.at(-1)!.pieces.push(bytes)
  }

  partEnd(error?: Error): void {
    if (error !== undefined) this.#parts!.at(-1)!.error = error
  }

  end(): void {}

  fail(error: Error): void {
    this.#failure = error
  }
}

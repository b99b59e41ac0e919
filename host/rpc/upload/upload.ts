import type { IncomingMessage, ServerResponse } from 'node:http'
import { dagErrors } from '../../../core/dag/errors.ts'
import type { Body, BodyPart } from '../../../core/index.ts'
import { rpcErrors } from '../../http/listener-errors.ts'
import { type Form, openForm } from './form.ts'
import type { HeaderFields } from './header.ts'
import { partOf } from './part.ts'
import { Silence } from './silence.ts'
import type { SplitterLimits } from './splitter.ts'

export interface UploadLimits extends SplitterLimits {
  /** How long nothing may come while a command waits for more, in milliseconds; 0 for any time. */
  readonly bodyTimeoutMs: number
}

/** Something of the upload, in the order in which it was sent. */
type Token =
  | { readonly kind: 'part'; readonly header: HeaderFields }
  | { readonly kind: 'data'; readonly bytes: Buffer }
  | { readonly kind: 'spent'; readonly memory: ArrayBuffer }
  | { readonly kind: 'part-end'; readonly error?: Error }
  | { readonly kind: 'end' }
  | { readonly kind: 'fail'; readonly error: Error }

interface Waiter {
  resolve(token: Token): void
  /** Whether nobody looks at its bytes once the next are asked for. */
  readonly lent: boolean
}

/** Bytes that may wait for the command before no more are read. A chunk of the default chunker fits. */
const HIGH_WATER = 256 * 1024
const MANY_TOKENS = 512
/** Less memory than this may wait for a collection of garbage. */
const WORTH_TAKING_BACK = 4096
const PART_END = { kind: 'part-end' } as const

/**
 * The parts of a multipart request, read while they are asked for: nothing is read before the first is, and the connection rests while the
 * command is behind. What a command leaves unread of a part is skipped.
 */
export class Upload implements Body {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #boundary: string
  readonly #limits: UploadLimits
  readonly #silence: Silence
  readonly #tokens: Token[] = []
  #taken = 0
  #bytes = 0
  #paused = false
  /** The reader that waits for the next token. No function, which would be old from the beginning: see {@link openForm}. */
  #waiter: Waiter | undefined
  #form: Form | undefined
  #inPart = false
  /** The count of the parts so far. */
  #number = 0
  /** The memory that was looked at last by somebody who may have kept a view of it. */
  #kept: ArrayBufferLike | undefined
  #ended: Token | undefined
  /** Whether the request was answered, or its connection is gone. */
  #closed = false

  constructor(request: IncomingMessage, response: ServerResponse, boundary: string, limits: UploadLimits) {
    this.#request = request
    this.#response = response
    this.#boundary = boundary
    this.#limits = limits
    const { bodyTimeoutMs } = limits
    this.#silence = new Silence(request, bodyTimeoutMs, () =>
      this.#push({ kind: 'fail', error: rpcErrors.E_RPC_BODY_SILENT(bodyTimeoutMs) })
    )
  }

  [Symbol.asyncIterator](): AsyncIterator<BodyPart> {
    return { next: () => this.#nextPart() }
  }

  async #nextPart(): Promise<IteratorResult<BodyPart>> {
    this.#start()
    while (this.#inPart) this.#pass(await this.#take())
    for (;;) {
      const token = await this.#take()
      if (token.kind === 'fail') throw token.error
      if (token.kind === 'end') return { done: true, value: undefined }
      if (token.kind !== 'part') continue
      this.#inPart = true
      const part = this.#describe(token.header)
      if (part === undefined) {
        // a part without a name of any kind ends the upload, as it does in boxo/files
        this.#ended = { kind: 'end' }
        return { done: true, value: undefined }
      }
      return { done: false, value: part }
    }
  }

  #describe(header: HeaderFields): BodyPart | undefined {
    const number = ++this.#number
    return partOf(header, lent => this.#data(number, lent))
  }

  /** The bytes of a part, as long as it is the one that was handed out last. */
  #data(number: number, lent: boolean): AsyncIterable<Uint8Array> {
    let over = false
    const next = async (): Promise<IteratorResult<Uint8Array>> => {
      if (over || !this.#inPart || number !== this.#number) return { done: true, value: undefined }
      const token = await this.#take(lent)
      if (token.kind === 'data') return { done: false, value: token.bytes }
      over = true
      this.#pass(token)
      if (token.kind === 'part-end' && token.error !== undefined) throw token.error
      if (token.kind === 'fail') throw token.error
      return { done: true, value: undefined }
    }
    const stop = async (): Promise<IteratorResult<Uint8Array>> => {
      over = true
      return { done: true, value: undefined }
    }
    return { [Symbol.asyncIterator]: () => ({ next, return: stop }) }
  }

  #pass(token: Token): void {
    if (token.kind !== 'data') this.#inPart = false
  }

  #start(): void {
    if (this.#form !== undefined) return
    if (this.#request.headers.expect !== undefined) this.#response.writeContinue()
    this.#response.once('close', () => this.#close())
    const push = (token: Token) => this.#push(token)
    this.#form = openForm(this.#request, this.#boundary, this.#limits, {
      part: header => push({ kind: 'part', header }),
      data: bytes => push({ kind: 'data', bytes }),
      spent: bytes => {
        const memory = unsharedMemory(bytes)
        if (memory !== undefined) push({ kind: 'spent', memory })
      },
      partEnd: error => push(error === undefined ? PART_END : { kind: 'part-end', error }),
      end: () => push({ kind: 'end' }),
      fail: error => push({ kind: 'fail', error })
    })
  }

  /** Nothing more is read: a command that still waits, as its time was up, has to come to its end. */
  #close(): void {
    this.#closed = true
    this.#silence.stop()
    if (this.#waiter !== undefined) this.#push(cut())
  }

  #push(token: Token): void {
    const waiter = this.#waiter
    if (waiter !== undefined) {
      if (token.kind === 'spent') {
        this.#takeBack(token.memory)
        return
      }
      this.#waiter = undefined
      this.#silence.end()
      waiter.resolve(this.#noticed(token, waiter.lent))
      return
    }
    this.#tokens.push(token)
    if (token.kind === 'data') this.#bytes += token.bytes.length
    if (!this.#paused && (this.#bytes >= HIGH_WATER || this.#tokens.length >= MANY_TOKENS)) {
      this.#paused = true
      this.#form?.pause()
    }
  }

  /** @param lent - nobody looks at what comes once the next is asked for */
  #take(lent = true): Token | Promise<Token> {
    if (this.#ended !== undefined) return this.#ended
    while (this.#taken < this.#tokens.length) {
      const token = this.#tokens[this.#taken]!
      this.#taken++
      if (token.kind === 'data') this.#bytes -= token.bytes.length
      if (this.#taken === this.#tokens.length) this.#refill()
      if (token.kind !== 'spent') return this.#noticed(token, lent)
      this.#takeBack(token.memory)
    }
    if (this.#closed) return this.#noticed(cut(), lent)
    this.#silence.begin()
    const { promise, resolve } = Promise.withResolvers<Token>()
    this.#waiter = { resolve, lent }
    return promise
  }

  /** Frees memory that nobody can be looking at: its pieces were read, all of them as lent, or skipped. */
  #takeBack(memory: ArrayBuffer): void {
    if (memory !== this.#kept) memory.transfer(0)
  }

  /** The last one, which is all that is ever asked for again. */
  #noticed(token: Token, lent: boolean): Token {
    if (token.kind === 'data' && !lent) this.#kept = token.bytes.buffer
    if (token.kind === 'end' || token.kind === 'fail') {
      this.#ended = token
      this.#silence.stop()
    }
    return token
  }

  #refill(): void {
    this.#tokens.length = 0
    this.#taken = 0
    if (!this.#paused) return
    this.#paused = false
    this.#form?.resume()
  }
}

/** The memory of bytes that share it with no others; undefined where it is not worth its while. */
function unsharedMemory({ buffer, byteLength }: Buffer): ArrayBuffer | undefined {
  return byteLength >= WORTH_TAKING_BACK && byteLength === buffer.byteLength ? (buffer as ArrayBuffer) : undefined
}

const cut = (): Token => ({ kind: 'fail', error: dagErrors.E_UNEXPECTED_EOF() })

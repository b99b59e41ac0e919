import { read, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { promisify } from 'node:util'
import { decodeForgets, decodeRequest, encodeAnswer, encodeInit, Op, type Request } from './protocol.ts'

const { errno } = constants

/** Room for one request: the kernel sends none that is longer, as no write is taken. */
const REQUEST_ROOM = 132 << 10

/** A file system: answers a request with the body of its answer or the number of an error. */
export interface FileSystem {
  handle(request: Request, signal: AbortSignal): Promise<Uint8Array | number>
  /** The kernel let go of a node so many times as it had looked it up. */
  forget(node: bigint, times: bigint): void
  /** The number of the error that is answered for what `handle` threw. */
  errorOf(error: unknown): number
}

interface Parts {
  /** The open device. Whoever opened it closes it. */
  readonly device: number
  readonly files: FileSystem
  /** Requests that are worked on at a time; while there are as many, none is read. */
  readonly maxRequests: number
}

/** The conversation with the kernel over one mount, from its first request until it is unmounted. */
export class Session {
  readonly #parts: Parts
  readonly #running = new Map<bigint, AbortController>()
  #room: (() => void) | undefined
  #closed = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Answers requests until the file system is unmounted. @throws what reading the device throws otherwise */
  async serve(): Promise<void> {
    const buffer = Buffer.allocUnsafe(REQUEST_ROOM)
    try {
      for (;;) {
        const length = await nextRequest(this.#parts.device, buffer)
        if (length === undefined) return
        this.#take(decodeRequest(Buffer.from(buffer.subarray(0, length))))
        if (this.#running.size >= this.#parts.maxRequests) await new Promise<void>(resolve => (this.#room = resolve))
      }
    } finally {
      this.#closed = true
      for (const running of this.#running.values()) running.abort()
    }
  }

  #take(request: Request): void {
    const { op, unique, body } = request
    if (op === Op.FORGET || op === Op.BATCH_FORGET) {
      for (const [node, times] of decodeForgets(request)) this.#parts.files.forget(node, times)
    } else if (op === Op.INTERRUPT) this.#running.get(body.readBigUInt64LE(0))?.abort()
    else if (op === Op.INIT) this.#answer(unique, encodeInit(body) ?? errno.EPROTO)
    else if (op !== Op.DESTROY) void this.#work(request)
  }

  async #work(request: Request): Promise<void> {
    const controller = new AbortController()
    this.#running.set(request.unique, controller)
    let answer: Uint8Array | number
    try {
      answer = await this.#parts.files.handle(request, controller.signal)
    } catch (error) {
      answer = controller.signal.aborted ? errno.EINTR : this.#parts.files.errorOf(error)
    }
    this.#running.delete(request.unique)
    if (!this.#closed) this.#answer(request.unique, answer)
    this.#room?.()
  }

  /** The kernel wants an answer whole in one write. It refuses one that nobody waits for any more. */
  #answer(unique: bigint, answer: Uint8Array | number): void {
    try {
      writeSync(this.#parts.device, encodeAnswer(unique, answer))
    } catch (error) {
      if (!isOneOf(error, 'ENOENT', 'ENODEV')) throw error
    }
  }
}

const readDevice = promisify(read) as (fd: number, buffer: Buffer, at: number, length: number, from: null) => Promise<{ bytesRead: number }>

/** The length of the next request. @returns undefined where the file system is unmounted */
async function nextRequest(device: number, buffer: Buffer): Promise<number | undefined> {
  for (;;) {
    try {
      return (await readDevice(device, buffer, 0, buffer.length, null)).bytesRead
    } catch (error) {
      if (isOneOf(error, 'ENODEV')) return undefined
      // interrupted before it was read, or by a signal
      if (!isOneOf(error, 'ENOENT', 'EINTR', 'EAGAIN')) throw error
    }
  }
}

function isOneOf(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '')
}

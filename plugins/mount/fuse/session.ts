import { writeSync } from 'node:fs'
import { constants } from 'node:os'
import { Device } from './device.ts'
import { decodeForgets, decodeInterrupt, decodeRequest, encodeAnswer, encodeInit, Op, type Request } from './protocol.ts'

const { errno } = constants

/** The number of no request (Linux, uapi/linux/fuse.h: 0 is the kernel's own notices). */
const NOTHING = 0n

/** A file system: answers a request with the body of its answer or the number of an error. */
export interface FileSystem {
  handle(request: Request, signal: AbortSignal): Promise<Uint8Array | number>
  /** The kernel let go of a node so many times as it had looked it up. */
  forget(node: bigint, times: bigint): void
  /** The number of the error that is answered for what `handle` threw. */
  errorOf(error: unknown, request: Request): number
  /** Keeps what waits in open files, before it is unmounted. */
  close?(): Promise<void>
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
  #closed = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Answers requests until the file system is unmounted. @throws what reading the device throws otherwise */
  async serve(): Promise<void> {
    const device = new Device(this.#parts.device, this.#parts.maxRequests)
    try {
      for await (const bytes of device.requests()) this.#take(decodeRequest(bytes), () => device.done())
    } finally {
      this.#closed = true
      for (const running of this.#running.values()) running.abort()
    }
  }

  /** @param done - is called when another request may be read in its place */
  #take(request: Request, done: () => void): void {
    const { op, unique, body } = request
    if (op === Op.FORGET || op === Op.BATCH_FORGET) {
      for (const [node, times] of decodeForgets(request)) this.#parts.files.forget(node, times)
    } else if (op === Op.INTERRUPT) this.#running.get(decodeInterrupt(body) ?? NOTHING)?.abort()
    else if (op === Op.INIT) this.#answer(unique, encodeInit(body) ?? errno.EPROTO)
    else if (op !== Op.DESTROY) return void this.#work(request).finally(done)
    done()
  }

  async #work(request: Request): Promise<void> {
    const controller = new AbortController()
    this.#running.set(request.unique, controller)
    let answer: Uint8Array | number
    try {
      answer = await this.#parts.files.handle(request, controller.signal)
    } catch (error) {
      answer = controller.signal.aborted ? errno.EINTR : this.#parts.files.errorOf(error, request)
    }
    this.#running.delete(request.unique)
    if (!this.#closed) this.#answer(request.unique, answer)
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

function isOneOf(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '')
}

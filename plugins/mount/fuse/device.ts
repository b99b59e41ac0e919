import { Worker } from 'node:worker_threads'
import { MOST_AT_ONCE } from './protocol.ts'

/** Room for one request: the kernel wants to send a write of the most bytes and what stands before them. */
const REQUEST_ROOM = MOST_AT_ONCE + (4 << 10)

/**
 * The reading thread's program, as text so that it needs no file of its own: a read of the device ends when the kernel wants something, which
 * may be never, and each would hold one of the few threads that all file access of the process shares. `free` counts the requests that may
 * still be read.
 */
const READING = `
const { readSync } = require('node:fs')
const { parentPort, workerData: { device, room, free } } = require('node:worker_threads')
const buffer = Buffer.allocUnsafe(room)
for (;;) {
  let left
  while ((left = Atomics.load(free, 0)) <= 0) Atomics.wait(free, 0, left)
  try {
    const length = readSync(device, buffer)
    Atomics.sub(free, 0, 1)
    const bytes = new Uint8Array(buffer.subarray(0, length))
    parentPort.postMessage({ bytes }, [bytes.buffer])
  } catch (error) {
    // interrupted before it was read, or by a signal
    if (['ENOENT', 'EINTR', 'EAGAIN'].includes(error.code)) continue
    parentPort.postMessage(error.code === 'ENODEV' ? {} : { error })
    break
  }
}
`

type Message = { readonly bytes?: Uint8Array; readonly error?: Error }

/** The open device of a mount, read by a thread of its own. */
export class Device {
  readonly #device: number
  readonly #free: Int32Array

  /** @param most - requests that are worked on at a time; while there are as many, none is read */
  constructor(device: number, most: number) {
    this.#device = device
    this.#free = new Int32Array(new SharedArrayBuffer(4))
    this.#free[0] = most
  }

  /** Another request may be read. */
  done(): void {
    Atomics.add(this.#free, 0, 1)
    Atomics.notify(this.#free, 0)
  }

  /** Requests until the file system is unmounted. @throws what reading the device throws otherwise */
  async *requests(): AsyncGenerator<Buffer> {
    const worker = new Worker(READING, {
      eval: true,
      execArgv: [],
      workerData: { device: this.#device, room: REQUEST_ROOM, free: this.#free }
    })
    const come: Message[] = []
    let wake: (() => void) | undefined
    const take = (message: Message) => {
      come.push(message)
      wake?.()
    }
    worker.on('message', take)
    worker.on('error', error => take({ error }))
    const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()))
    for (;;) {
      while (come.length === 0) await new Promise<void>(resolve => (wake = resolve))
      const { bytes, error } = come.shift()!
      if (bytes !== undefined) yield Buffer.from(bytes.buffer)
      else {
        await ended
        if (error !== undefined) throw error
        return
      }
    }
  }
}

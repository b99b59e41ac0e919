import type { Readable, Writable } from 'node:stream'

/** What a command line has around it; a test makes its own. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Fires when the person wants it to end (Ctrl-C), or nobody reads what it prints; the reason is an {@link Interrupted}. */
  interrupts(): AbortSignal
  /** Why it ends early, if it does. */
  readonly interrupted: Interrupted | undefined
  /** Lets go of standard input, which nobody may be left to end. */
  close(): void
}

/** The end that was asked for, and the exit status that tells so. */
export class Interrupted extends Error {
  readonly status: number

  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGPIPE') {
    super(`ended by ${signal}`)
    this.status = 128 + { SIGHUP: 1, SIGINT: 2, SIGPIPE: 13, SIGTERM: 15 }[signal]
  }
}

/** The terminal, or whatever else this process was started from. */
export function processTerminal(): Terminal {
  let controller: AbortController | undefined
  let opened = false
  return {
    // opened when it is first read: an open one keeps the process alive
    get stdin() {
      opened = true
      return process.stdin
    },
    close() {
      if (opened) process.stdin.destroy()
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    get interrupted() {
      return controller?.signal.aborted ? (controller.signal.reason as Interrupted) : undefined
    },
    interrupts() {
      if (controller === undefined) {
        const made = new AbortController()
        controller = made
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
          // the second one does not wait
          process.on(signal, () =>
            made.signal.aborted ? process.exit(new Interrupted(signal).status) : made.abort(new Interrupted(signal))
          )
        }
        process.stdout.on('error', (error: NodeJS.ErrnoException) => {
          if (error.code === 'EPIPE') made.abort(new Interrupted('SIGPIPE'))
        })
        process.stderr.on('error', () => {})
      }
      return controller.signal
    }
  }
}

/** Text gathered up to this size is written at once, in characters. */
const BATCH = 16_384

/** Writes to a stream, small pieces of text together, no faster than it takes them. */
export class Printer {
  readonly #to: Writable & { readonly isTTY?: boolean }
  readonly #before: () => void
  #text = ''
  #planned = false

  /** @param before - called before anything appears on a terminal */
  constructor(to: Writable & { readonly isTTY?: boolean }, before: () => void = () => {}) {
    this.#to = to
    this.#before = before
  }

  text(text: string): Promise<void> | undefined {
    this.#text += text
    if (this.#text.length >= BATCH) return this.flush()
    if (!this.#planned && text !== '') {
      this.#planned = true
      setImmediate(() => {
        this.#planned = false
        void this.flush()
      })
    }
    return undefined
  }

  bytes(bytes: Uint8Array): Promise<void> | undefined {
    void this.flush()
    return this.#write(bytes)
  }

  /** Writes what is held. */
  flush(): Promise<void> | undefined {
    const text = this.#text
    this.#text = ''
    return text === '' ? undefined : this.#write(text)
  }

  #write(chunk: string | Uint8Array): Promise<void> | undefined {
    if (this.#to.isTTY) this.#before()
    if (this.#to.destroyed || this.#to.write(chunk)) return undefined
    return new Promise(resolve => {
      const done = () => {
        this.#to.off('drain', done)
        this.#to.off('close', done)
        this.#to.off('error', done)
        resolve()
      }
      this.#to.on('drain', done).on('close', done).on('error', done)
    })
  }
}

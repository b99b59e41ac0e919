import type { Writable } from 'node:stream'
import { printable, printableLine } from '../../printable.ts'
import { cliErrors, reasonOf } from '../errors.ts'
import { Interrupted } from '../interrupted.ts'
import { bytesOf } from './text.ts'

/**
 * Standard output or standard error. All text that reaches a terminal passes here, and appears with what does not print escaped, so that neither a
 * name nor a message from elsewhere can act on the terminal. Where it is none, each character goes out as it is.
 */
export class Output {
  readonly #to: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  #failure: NodeJS.ErrnoException | undefined
  readonly #told: Array<(error: NodeJS.ErrnoException) => void> = []

  constructor(to: Writable & { readonly isTTY?: boolean; readonly columns?: number }) {
    this.#to = to
    to.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#failure !== undefined) return
      this.#failure = error
      for (const tell of this.#told) tell(error)
    })
  }

  /** Has it told why not all can be written, once that is known. */
  onFailure(tell: (error: NodeJS.ErrnoException) => void): void {
    this.#told.push(tell)
    if (this.#failure !== undefined) tell(this.#failure)
  }

  /** @throws E_OUTPUT where it is known that not all could be written; {@link Interrupted} where nobody reads it */
  check(): void {
    const error = this.#failure
    if (error === undefined) return
    if (error.code === 'EPIPE') throw new Interrupted('SIGPIPE')
    throw cliErrors.E_OUTPUT(reasonOf(error))
  }

  /** Resolves when all was written. @throws what {@link check} does */
  async written(): Promise<void> {
    // an error is told one turn after the callback
    await new Promise<void>(resolve => {
      const next = () => setImmediate(resolve)
      if (this.#to.destroyed) next()
      else this.#to.write('', next)
    })
    this.check()
  }

  get isTTY(): boolean {
    return this.#to.isTTY === true
  }

  /** How wide the terminal is, where that is known. */
  get columns(): number | undefined {
    return this.#to.columns
  }

  /** Writes text with lines of its own. @returns what to wait for before there is more, when it comes too fast */
  write(text: string): Promise<void> | undefined {
    return this.#send(this.isTTY ? printable(text) : text.isWellFormed() ? text : bytesOf(text))
  }

  /** Writes one line, whatever is in it: what would end it early is escaped on a terminal. */
  line(text: string): Promise<void> | undefined {
    return this.isTTY ? this.#send(`${printableLine(text)}\n`) : this.write(`${text}\n`)
  }

  /** Writes octets as they are. */
  octets(bytes: Uint8Array): Promise<void> | undefined {
    return this.#send(bytes)
  }

  /** Writes what moves the cursor of a terminal, in the words of this program alone. */
  draw(sequence: string): void {
    void this.#send(sequence)
  }

  #send(chunk: string | Uint8Array): Promise<void> | undefined {
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

import type { Output } from './output.ts'

/** Text gathered up to this size is written at once, in characters. */
const BATCH = 16_384

/** Writes to standard output, small pieces of text together, no faster than it takes them. */
export class Printer {
  readonly #to: Output
  readonly #before: () => void
  #text = ''
  #planned = false

  /** @param before - called before anything appears on a terminal */
  constructor(to: Output, before: () => void = () => {}) {
    this.#to = to
    this.#before = before
  }

  text(text: string): Promise<void> | undefined {
    // halves of pairs stay apart: they may stand for bytes
    if (!text.isWellFormed()) {
      void this.flush()
      return this.#write(() => this.#to.write(text))
    }
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

  /** Writes one line, whatever is in it. */
  line(text: string): Promise<void> | undefined {
    void this.flush()
    return this.#write(() => this.#to.line(text))
  }

  octets(bytes: Uint8Array): Promise<void> | undefined {
    void this.flush()
    return this.#write(() => this.#to.octets(bytes))
  }

  /** @throws E_OUTPUT where it is known that not all could be written */
  check(): void {
    this.#to.check()
  }

  /** Writes what is held. */
  flush(): Promise<void> | undefined {
    const text = this.#text
    this.#text = ''
    return text === '' ? undefined : this.#write(() => this.#to.write(text))
  }

  #write(write: () => Promise<void> | undefined): Promise<void> | undefined {
    if (this.#to.isTTY) this.#before()
    return write()
  }
}

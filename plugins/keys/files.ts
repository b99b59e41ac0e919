/** Octets by the name of a key: of each all or nothing, and durable when a change resolves. One change at a time: the caller sees to that. */
export interface KeyFiles {
  /** Call first. @param progress - called from time to time */
  open(progress: () => void): Promise<void>
  /** How messages call the place of a key. */
  placeOf(name: string): string
  /** The names of all that are there, in no order. */
  names(): Promise<readonly string[]>
  /** @throws E_KEY_FILE for what is no file of a key */
  read(name: string): Promise<Uint8Array | undefined>
  /** Replaces what is there. */
  write(name: string, bytes: Uint8Array): Promise<void>
  /** Replaces what has the new name. */
  rename(from: string, to: string): Promise<void>
  remove(name: string): Promise<void>
}

/** Keys of a node that keeps everything in memory. */
export class MemoryFiles implements KeyFiles {
  readonly #files = new Map<string, Uint8Array>()

  async open(): Promise<void> {}

  placeOf(): string {
    return 'memory'
  }

  async names(): Promise<readonly string[]> {
    return [...this.#files.keys()]
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    return this.#files.get(name)
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    this.#files.set(name, bytes)
  }

  async rename(from: string, to: string): Promise<void> {
    const bytes = this.#files.get(from)
    this.#files.delete(from)
    if (bytes !== undefined) this.#files.set(to, bytes)
  }

  async remove(name: string): Promise<void> {
    this.#files.delete(name)
  }
}

import { readFile } from 'node:fs/promises'
import { equals } from 'multiformats/bytes'
import type { Engine } from './engine.ts'
import type { Write } from './writes.ts'

/** The key in `state` of what a run left. */
const KEY = new TextEncoder().encode('ending')
/** Bytes of the number of the batch that it came with, and of the name that RocksDB gave its database. */
const [NUMBER, NAME] = [6, 36]

/**
 * What a run leaves to the next one where it ends in order. It counts only as long as the batch that it came with is the last one of this very
 * database: any other one makes it void, whoever writes it, and so does a copy into another database.
 */
export class Ending {
  readonly #path: string
  readonly #engine: Pick<Engine, 'get'>
  #name: Uint8Array | undefined
  #found: Uint8Array | undefined
  #left: (() => Uint8Array | undefined) | undefined

  /** @param path - of the database */
  constructor(path: string, engine: Pick<Engine, 'get'>) {
    this.#path = path
    this.#engine = engine
  }

  /** What the run before left. */
  get found(): Uint8Array | undefined {
    return this.#found
  }

  /** From now on this run ends, and leaves what is known at its very end. */
  leave(left: () => Uint8Array | undefined): void {
    this.#left = left
  }

  /** @param last - the number of the last batch that the database has */
  async read(last: number): Promise<void> {
    this.#left = this.#found = undefined
    const name = await readFile(`${this.#path}/IDENTITY`).catch(() => undefined)
    this.#name = name?.byteLength === NAME ? name : undefined
    // What cannot be read was not left.
    const stored = await this.#engine.get('state', KEY).catch(() => undefined)
    if (this.#name === undefined || stored === undefined || stored.byteLength < NUMBER + NAME) return
    const number = Buffer.from(stored.buffer, stored.byteOffset, NUMBER).readUIntBE(0, NUMBER)
    if (number === last && equals(stored.subarray(NUMBER, NUMBER + NAME), this.#name)) this.#found = stored.subarray(NUMBER + NAME)
  }

  /** There is more in the database than the run before knew when it ended. */
  spoil(): void {
    this.#found = undefined
  }

  /** What a batch with this number says of the end: nothing where it writes anything else, as that is not known so far. */
  of(number: number, writes: readonly Write[]): Write[] {
    const left = writes.length === 0 ? this.#left?.() : undefined
    if (left === undefined || this.#name === undefined) return []
    const value = Buffer.concat([Buffer.alloc(NUMBER), this.#name, left])
    value.writeUIntBE(number, 0, NUMBER)
    return [{ family: 'state', key: KEY, value }]
  }
}

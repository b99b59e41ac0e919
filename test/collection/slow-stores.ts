import { FastBlockstore } from '../../core/blocks/blockstore.ts'
import { Blockstore, type BlockTotals, Datastore, type Plugin, plugin, ready, type StoredBlock } from '../../core/index.ts'
import { MemoryBlockstore } from '../../plugins/storage-memory/blockstore.ts'
import { MemoryDatastore } from '../../plugins/storage-memory/datastore.ts'
import type { Random } from './random.ts'

/** Lets others run for a while, often not at all, sometimes long. */
export type Pause = () => Promise<void>

export function pauses(random: Random): Pause {
  return async () => {
    const turns = random.chance(0.6) ? 0 : random.chance(0.9) ? random.below(3) : random.below(12)
    for (let i = 0; i < turns; i++) await new Promise(resolve => setImmediate(resolve))
  }
}

/** A store in memory whose every operation takes its time before and after it does what it does. */
class SlowBlockstore extends FastBlockstore {
  readonly #store = new MemoryBlockstore()
  readonly #pause: Pause

  constructor(pause: Pause) {
    super()
    this.#pause = pause
  }

  async #slowly<T>(work: () => Promise<T>): Promise<T> {
    await this.#pause()
    const result = await work()
    await this.#pause()
    return result
  }

  getBytes(multihash: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#slowly(() => this.#store.getBytes(multihash))
  }

  putBytes(multihash: Uint8Array, bytes: Uint8Array): Promise<void> {
    return this.#slowly(() => this.#store.putBytes(multihash, bytes))
  }

  async putAll(blocks: readonly StoredBlock[]): Promise<void> {
    for (const { multihash, bytes } of blocks) await this.putBytes(multihash, bytes)
  }

  hasMultihash(multihash: Uint8Array): Promise<boolean> {
    return this.#slowly(() => this.#store.hasMultihash(multihash))
  }

  sizeOf(multihash: Uint8Array): Promise<number | undefined> {
    return this.#slowly(() => this.#store.sizeOf(multihash))
  }

  deleteMultihash(multihash: Uint8Array): Promise<boolean> {
    return this.#slowly(() => this.#store.deleteMultihash(multihash))
  }

  async deleteAll(multihashes: readonly Uint8Array[]): Promise<ReadonlyArray<number | undefined>> {
    const sizes: Array<number | undefined> = []
    for (const multihash of multihashes) sizes.push(...(await this.#slowly(() => this.#store.deleteAll([multihash]))))
    return sizes
  }

  async *listMultihashes(): AsyncGenerator<Uint8Array> {
    for await (const multihash of this.#store.listMultihashes()) {
      await this.#pause()
      yield multihash
    }
  }

  totals(): Promise<BlockTotals> {
    return this.#store.totals()
  }

  async sync(): Promise<void> {
    await this.#pause()
  }

  async tidy(): Promise<void> {}
}

function slowDatastore(pause: Pause): Datastore {
  const store = new MemoryDatastore()
  const slow = ['get', 'has', 'put', 'delete', 'sync']
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name === 'batch') {
        return () => {
          const batch = target.batch()
          return {
            put: batch.put,
            delete: batch.delete,
            async commit() {
              await pause()
              await batch.commit()
              await pause()
            }
          }
        }
      }
      if (!slow.includes(String(name))) return value.bind(target)
      return async (...all: unknown[]) => {
        await pause()
        const result = await value.apply(target, all)
        await pause()
        return result
      }
    }
  })
}

/** Stores in memory that make those who use them meet in every order. */
export function slowStores(pause: Pause): Plugin {
  return plugin({
    name: 'slow-stores',
    api: '^1',
    about: 'Blocks and keys in memory, slowly.',
    provides: [ready(Blockstore, new SlowBlockstore(pause)), ready(Datastore, slowDatastore(pause))]
  })
}

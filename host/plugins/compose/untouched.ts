import { Blockstore, Datastore, fastBlocks, Repo, type Startable, tokenName } from '../../../core/index.ts'
import type { ServiceRegistry } from '../registry.ts'

/** Blocks or keys of a store in which nobody has stored anything yet: a node itself needs a few. */
const MOST = 16

/**
 * The life of what a service keeps in a repo. Where the repo is new, and nothing was stored until the service stops but what the start itself
 * stored, the repo forgets how: another store may take its place. What lay there before the start, as of a repo that lost its configuration, is content.
 */
export class Untouched implements Startable {
  readonly #service: string
  readonly #instance: unknown
  readonly #registry: ServiceRegistry
  #wasEmpty = false
  #before: string | undefined

  constructor(service: string, instance: unknown, registry: ServiceRegistry) {
    this.#service = service
    this.#instance = instance
    this.#registry = registry
  }

  /** Assumes that the service has started, and that nobody has it yet. */
  async start(): Promise<void> {
    this.#wasEmpty = (await this.#content()) === ''
  }

  async afterStart(): Promise<void> {
    if (this.#wasEmpty && this.#registry.get(Repo)?.isNew) this.#before = await this.#content()
  }

  async stop(): Promise<void> {
    if (this.#before === undefined || this.#before !== (await this.#content())) return
    await this.#registry.get(Repo)?.forgetStorage(this.#service)
  }

  /** @returns undefined where there is more than a new store has, or no telling what there is */
  async #content(): Promise<string | undefined> {
    const found: string[] = []
    try {
      for await (const one of contentOf(this.#service, this.#instance) ?? [undefined]) {
        if (one === undefined || found.push(one) > MOST) return undefined
      }
    } catch {
      return undefined
    }
    return found.sort().join('\n')
  }
}

function contentOf(service: string, instance: unknown): AsyncIterable<string> | undefined {
  if (service === tokenName(Blockstore)) return blocksIn(instance as Blockstore)
  if (service === tokenName(Datastore)) return pairsIn(instance as Datastore)
  return undefined
}

async function* blocksIn(store: Blockstore): AsyncGenerator<string> {
  for await (const multihash of fastBlocks(store).listMultihashes()) yield hex(multihash)
}

async function* pairsIn(store: Datastore): AsyncGenerator<string> {
  for await (const { key, value } of store.query({})) yield `${key} ${hex(value)}`
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

import { Key } from 'interface-datastore'
import { type Datastore, type Mfs, type MfsTrees, type Startable } from '../../core/index.ts'
import { mfsErrors } from './errors.ts'
import { prefixed } from './prefixed.ts'
import { MfsStore, type StoreParts } from './store.ts'

/** Where the roots and journals of the trees lie, each under its name. */
const TREES = '/local/trees/'

const NAME = /^[0-9A-Za-z_-]{1,128}$/

/** Mutable trees by name, each with a root and a journal of its own. Those that are there are known from the start, as what they hold is kept. */
export class TreeStore implements MfsTrees, Startable {
  readonly #parts: StoreParts
  readonly #trees = new Map<string, MfsStore>()

  constructor(parts: StoreParts) {
    this.#parts = parts
  }

  async start(): Promise<void> {
    for await (const key of this.#parts.datastore.queryKeys({ prefix: TREES })) {
      this.open(key.toString().slice(TREES.length).split('/')[0]!)
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#trees.values()].map(tree => tree.stop()))
  }

  open(name: string): Mfs {
    if (!NAME.test(name)) throw mfsErrors.E_MFS_TREE_NAME(name)
    let tree = this.#trees.get(name)
    if (tree === undefined) {
      const datastore: Datastore = prefixed(this.#parts.datastore, new Key(TREES + name))
      tree = new MfsStore({ ...this.#parts, datastore })
      this.#trees.set(name, tree)
      tree.start()
    }
    return tree
  }
}

import { Key } from 'interface-datastore'
import type { CID } from 'multiformats/cid'
import { type Datastore, hasCode, type Logger, type Mfs, messageOf, type Names, type PathResolver, type UnixFs } from '../../core/index.ts'

/** Where it stands what the mount has published last, below the name. */
const PUBLISHED = '/local/mount/'

/** Roots of the tree, as texts: the one that the name was last to lead to, and the last that it was made to. */
interface Marker {
  readonly intended?: string
  readonly published?: string | undefined
}

interface PublishedTreeParts {
  readonly names: Names
  readonly paths: PathResolver
  readonly unixfs: UnixFs
  readonly datastore: Datastore
  readonly log: Logger
}

/** The tree behind a name of this node: it begins as what the name leads to, and the name is made to lead to what the tree is. */
export class PublishedTree {
  readonly #parts: PublishedTreeParts
  readonly #name: string
  readonly #key: string
  readonly tree: Mfs
  #publishing: Promise<void> | undefined
  #isChanged = false
  readonly #ending = new AbortController()

  /**
   * @param name - `k51…`
   * @param key - the name of its key
   */
  constructor(parts: PublishedTreeParts, name: string, key: string, tree: Mfs) {
    this.#parts = parts
    this.#name = name
    this.#key = key
    this.tree = tree
  }

  /**
   * Makes the tree what the name leads to, unless that came from the tree, which then is published if it went on. A name that leads to no
   * folder leaves the tree as it is.
   */
  async open(): Promise<void> {
    const there = await this.#published()
    const { intended, published } = await this.#marked()
    if (there === undefined) return
    const path = there.toString()
    if (path === intended || path === published) {
      if (path !== intended) this.changed()
      return
    }
    if ((await this.#parts.unixfs.stat(there)).type === 'directory') await this.tree.restore(there)
  }

  /** The tree has changed. It is published beside what goes on; changes meanwhile are published together. */
  changed(): void {
    this.#isChanged = true
    this.#publishing ??= this.#publish().finally(() => {
      this.#publishing = undefined
    })
  }

  /** The publication of changes, on this node at least: routes to other nodes are given up after a time. */
  async close(timeout: number): Promise<void> {
    const timer = setTimeout(() => this.#ending.abort(), timeout)
    await this.#publishing
    clearTimeout(timer)
  }

  async #publish(): Promise<void> {
    const { names, log } = this.#parts
    while (this.#isChanged) {
      this.#isChanged = false
      try {
        const root = (await this.tree.flush('/')).toString()
        const { published } = await this.#marked()
        if (published === root) continue
        // first: a node that dies in between leaves the name at one of the two
        await this.#mark({ intended: root, published })
        await names.publish(`/ipfs/${root}`, { key: this.#key, allowOffline: true, signal: this.#ending.signal })
        await this.#mark({ intended: root, published: root })
      } catch (error) {
        log.error({ err: error }, `the name ${this.#name} was not published by its mount: ${messageOf(error)}`)
      }
    }
  }

  async #published(): Promise<CID | undefined> {
    const { names, paths } = this.#parts
    try {
      const { path } = await names.resolve(`/ipns/${this.#name}`, { offline: true })
      const { cid, remainder } = await paths.resolve(path)
      return remainder === '' ? cid : undefined
    } catch (error) {
      if (hasCode(error, 'E_NAME_UNRESOLVED')) return undefined
      throw error
    }
  }

  async #marked(): Promise<Marker> {
    if (!(await this.#parts.datastore.has(this.#marker))) return {}
    return JSON.parse(Buffer.from(await this.#parts.datastore.get(this.#marker)).toString()) as Marker
  }

  async #mark(marker: Marker): Promise<void> {
    await this.#parts.datastore.put(this.#marker, Buffer.from(JSON.stringify(marker)))
  }

  get #marker(): Key {
    return new Key(PUBLISHED + this.#name)
  }
}

import { type BlockOptions, type Denylist, type NameResolution, type Names, refuseDeniedPath } from '../../core/index.ts'
import { parseAbsolutePath } from '../../core/path/index.ts'
import { gatewayErrors } from './errors.ts'

/** The target of a name at a moment. */
export interface NamedContent {
  /** A path that no name is in any more: `/ipfs/Qm…/a`. */
  readonly path: string
  /** How long that can be relied on, in seconds; undefined where nothing says. */
  readonly ttl: number | undefined
  readonly resolvedAt: Date
}

/** The part of the service of names that the gateway uses. */
export interface ContentNames {
  /** Whether there is a DNSLink of this host name. */
  hasDnsLink(name: string, options: BlockOptions): Promise<boolean>
  /** Follows a name, and names that it leads to. @param name - what stands behind `/ipns/` @param below - segments that are asked for behind it */
  resolve(name: string, below: readonly string[], options: BlockOptions): Promise<NamedContent>
  /** The newest signed record of a key that is known, which who asks has to check; undefined where none is. Absent without routing. */
  record?(name: string, options: BlockOptions): Promise<Uint8Array | undefined>
}

/** Names of a node that has no plugin for them. */
export const noNames: ContentNames = {
  hasDnsLink: async () => false,
  resolve() {
    throw gatewayErrors.E_GATEWAY_NO_NAMES()
  }
}

/** How long it is remembered whether a host has a DNSLink, in milliseconds, and of how many names anything is. */
const REMEMBERED_MS = 60_000
const MOST_NAMES = 1024

/** How long it may take to find out whether a host has a DNSLink, in milliseconds; it counts as one without then. */
const LOOKUP_MS = 5000

/** Names that lead to names (Kubo 0.28, boxo/namesys: DefaultDepthLimit). */
const MOST_STEPS = 32

interface Known {
  readonly until: number
  readonly has: boolean
}

interface Seen {
  readonly path: string
  readonly at: Date
}

/** Keeps a value as the newest, and forgets the oldest of too many. */
function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name)
  map.set(name, value)
  if (map.size > MOST_NAMES) map.delete(map.keys().next().value!)
}

export class NodeNames implements ContentNames {
  readonly #names: Names
  readonly #denylist: Denylist | undefined
  readonly #known = new Map<string, Known>()
  readonly #seen = new Map<string, Seen>()

  constructor(names: Names, denylist?: Denylist) {
    this.#names = names
    this.#denylist = denylist
  }

  async hasDnsLink(name: string, options: BlockOptions): Promise<boolean> {
    // these are this machine's own (RFC 6761)
    if (name === 'localhost' || name.endsWith('.localhost')) return false
    const known = this.#known.get(name)
    if (known !== undefined && known.until > performance.now()) return known.has
    const has = await this.#asks(name, options)
    remember(this.#known, name, { until: performance.now() + REMEMBERED_MS, has })
    return has
  }

  async resolve(name: string, below: readonly string[], options: BlockOptions): Promise<NamedContent> {
    const { path, ttl } = await this.#follow(`/ipns/${name}`, below, options)
    return { path, ttl: ttl > 0n ? Number(ttl / 1_000_000_000n) : undefined, resolvedAt: this.#since(name, path) }
  }

  record(name: string, options: BlockOptions): Promise<Uint8Array | undefined> {
    return this.#names.record(name, options)
  }

  /** All the way, or where there is a denylist step by step: it may stand against a name that another leads to. */
  async #follow(text: string, below: readonly string[], options: BlockOptions): Promise<NameResolution> {
    if (this.#denylist === undefined) return this.#names.resolve(text, { ...options, recursive: true })
    let ttl: bigint | undefined
    let path = text
    for (let steps = 0; path.startsWith('/ipns/'); steps++) {
      // a path that takes longer is refused by who follows names
      if (steps === MOST_STEPS) return this.#names.resolve(text, { ...options, recursive: true })
      const { root, segments } = parseAbsolutePath(path)
      await refuseDeniedPath(this.#denylist, { namespace: 'ipns', name: root, segments: [...segments, ...below] })
      const next = await this.#names.resolve(path, { ...options, recursive: false })
      ttl = ttl === undefined || next.ttl < ttl ? next.ttl : ttl
      path = next.path
    }
    return { path, ttl: ttl ?? 0n }
  }

  /** Since when a name is known to lead where it does. */
  #since(name: string, path: string): Date {
    const before = this.#seen.get(name)
    const seen = before?.path === path ? before : { path, at: new Date() }
    remember(this.#seen, name, seen)
    return seen.at
  }

  async #asks(name: string, options: BlockOptions): Promise<boolean> {
    try {
      // whoever asks under an unknown name is not to wait for name servers that say nothing
      const patience = AbortSignal.timeout(LOOKUP_MS)
      const signal = options.signal === undefined ? patience : AbortSignal.any([options.signal, patience])
      await this.#names.resolve(`/ipns/${name}`, { ...options, signal, recursive: false })
      return true
    } catch {
      options.signal?.throwIfAborted()
      return false
    }
  }
}

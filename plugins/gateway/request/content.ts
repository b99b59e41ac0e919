import { createHash } from 'node:crypto'
import { cidToString } from '../../../core/cid/index.ts'
import { andThen } from '../../../core/concurrency/index.ts'
import { pathErrors } from '../../../core/errors/index.ts'
import { type BlockOptions, type CID, type Denylist, hasCode, prefixed, refuseDeniedBlock, refuseDeniedPath } from '../../../core/index.ts'
import { parseAbsolutePath, resolveSegments } from '../../../core/path/index.ts'
import type { Sources } from '../../../core/unixfs/index.ts'
import { gatewayErrors } from '../errors.ts'
import type { NamedContent } from '../names.ts'
import type { Reply } from '../reply/reply.ts'
import type { Choice } from './format.ts'
import { printedPath, type RequestedPath } from './path.ts'
import type { PathCache } from './path-cache.ts'
import type { Place } from './place.ts'

/** Where a request was sent, as far as its answer depends on that. */
export interface Site {
  /** The path as the browser sees it, percent-encoded: on a host of its own, without the root. */
  readonly rawPath: string
  /** The query without its `?`. */
  readonly rawQuery: string
  /** Whether the root has an origin of its own: then its `_redirects` count. */
  readonly isIsolated: boolean
  /** The start of links to other content: `''`, or `//` and the host of the gateway. */
  readonly linkBase: string
  /** The host name that is a site by DNSLink. */
  readonly dnsLink: string | undefined
}

/** The parts of a request: how it came, and what it is answered from. */
export type ContentRequestParts = Pick<ContentRequest, 'reply' | 'path' | 'site' | 'query' | 'choice' | 'options' | 'sources' | 'name'> &
  Partial<Pick<ContentRequest, 'cache' | 'denylist'>>

const IMMUTABLE = 'public, max-age=29030400, immutable'
const WEEK = 604_800
const STALE = 2_678_400

/** Longest CID that header fields name by its text, and all CIDs of `X-Ipfs-Roots` together, in bytes: of text it is 8 for 5. */
export const LONGEST_CID = 256
export const MOST_ROOTS = 4096

/** A request for content, as its answers see it. Whatever they send goes through `reply`. */
export class ContentRequest {
  readonly reply: Reply
  /** The path as it was asked for: what X-Ipfs-Path says. */
  readonly path: RequestedPath
  readonly site: Site
  readonly query: URLSearchParams
  readonly choice: Choice
  /** How blocks are read for it: its signal, and whether others may be asked. */
  readonly options: BlockOptions
  readonly sources: Sources
  /** The target of the path's name; undefined for one that starts at a CID. */
  readonly name: NamedContent | undefined
  /** The cache of places of paths. */
  readonly cache: PathCache | undefined
  /** The denylist for paths and blocks. */
  readonly denylist: Denylist | undefined
  /** Where the walk along the path begins, names resolved. */
  readonly root: CID
  /** The way that is walked: that of a name's own path, then that of the request. */
  readonly segments: readonly string[]
  #place: Place | Promise<Place> | undefined

  constructor({ reply, path, site, query, choice, options, sources, name, cache, denylist }: ContentRequestParts) {
    this.reply = reply
    this.path = path
    this.site = site
    this.query = query
    this.choice = choice
    this.options = options
    this.sources = sources
    this.name = name
    this.cache = cache
    this.denylist = denylist
    const target = name === undefined ? undefined : parseAbsolutePath(name.path)
    this.root = (target?.cid ?? path.cid)!
    this.segments = target === undefined || target.segments.length === 0 ? path.segments : [...target.segments, ...path.segments]
  }

  /** Whether what is asked for can never change. */
  get isImmutable(): boolean {
    return this.path.namespace !== 'ipns'
  }

  /** `Cache-Control` of content; undefined where nothing says how long it holds. */
  get cacheControl(): string | undefined {
    if (this.isImmutable) return IMMUTABLE
    const { ttl = 0 } = this.name ?? {}
    return ttl > 0 ? `public, max-age=${Math.floor(ttl)}` : undefined
  }

  /** The same of a page that the gateway makes of content. */
  get pageCacheControl(): string | undefined {
    const { ttl = 0 } = this.name ?? {}
    const age = this.isImmutable ? WEEK : Math.floor(ttl)
    return age > 0 ? `public, max-age=${age}, stale-while-revalidate=${STALE}` : undefined
  }

  /**
   * Where the path leads, looked up once.
   *
   * @throws E_GATEWAY_REMAINDER, E_LINK_MISSING, and what loading a block throws, worded as the reference does
   */
  locate(): Place | Promise<Place> {
    return andThen(this.place(), place => this.#whole(place))
  }

  #whole(place: Place): Place {
    if (place.remainder === '') return place
    this.tellRoots(place.roots)
    const path = printedPath(this.path.text.replace(/\/$/, ''))
    throw gatewayErrors.E_GATEWAY_REMAINDER(place.remainder, path, cidToString(place.cid))
  }

  /** The same where a path may end inside a block. */
  place(): Place | Promise<Place> {
    this.#place ??= this.#known() ?? this.#locate()
    return this.#place
  }

  /** A request for another path of the same root, whose answer is this one's. */
  below(segments: readonly string[]): ContentRequest {
    return new ContentRequest({ ...this, path: { ...this.path, segments } })
  }

  /** Wraps what kept a path from being followed. */
  unresolved(error: unknown): unknown {
    // what ends a request says so itself
    if (this.options.signal?.aborted) return error
    return prefixed(`failed to resolve ${printedPath(this.path.text)}: `, error)
  }

  /** The text of a CID, which answers have in several fields. */
  textOf(cid: CID): string {
    return this.cache?.textOf(cid) ?? cidToString(cid)
  }

  /** The name of a CID in header fields: by its text, or by a hash of it where it holds a block and is longer than fields should be. */
  nameOf(cid: CID): string {
    return cid.bytes.length <= LONGEST_CID ? this.textOf(cid) : `sha256-${createHash('sha256').update(cid.bytes).digest('base64url')}`
  }

  /** Tells the CIDs on the way, where they are no longer together than clients and proxies take. */
  tellRoots(roots: readonly CID[]): void {
    let bytes = 0
    for (const cid of roots) bytes += cid.bytes.length
    if (bytes > MOST_ROOTS) return
    this.reply.set('X-Ipfs-Roots', roots.length === 1 ? this.textOf(roots[0]!) : roots.map(cid => this.textOf(cid)).join(','))
  }

  /** Refuses a path, as it is and its name resolved, that a denylist stands against. @param below - what lies further down @throws E_DENIED */
  async refuseDenied(below: readonly string[] = []): Promise<void> {
    await this.#refuse([...this.segments, ...below], [...this.path.segments, ...below])
  }

  /** The same of the last block on the way of a path that goes on inside of it, or leads nowhere from there. @param count - of segments up to it */
  async #refuseDeniedEnd(count: number): Promise<void> {
    const { segments, path } = this
    const prefixLength = segments.length - path.segments.length
    await this.#refuse(segments.slice(0, count), path.segments.slice(0, Math.max(0, count - prefixLength)))
  }

  async #refuse(segments: readonly string[], asked: readonly string[]): Promise<void> {
    const { root, denylist, name, path } = this
    if (denylist === undefined) return
    await refuseDeniedPath(denylist, { namespace: 'ipfs', root, segments })
    if (name !== undefined) await refuseDeniedPath(denylist, { namespace: 'ipns', name: path.root, segments: asked })
  }

  /** The place where nothing has to be looked up for it. */
  #known(): Place | undefined {
    const { root, segments, options } = this
    // a denylist is asked for the path, and for each block on the way
    if (this.denylist !== undefined) return undefined
    if (segments.length === 0) return { cid: root, roots: [root], remainder: '' }
    // what is answered from this node alone has to be found on it
    return options.offline ? undefined : this.cache?.place(root, segments)
  }

  async #locate(): Promise<Place> {
    const { root, segments, options, sources, denylist } = this
    await this.refuseDenied()
    if (segments.length === 0) return { cid: root, roots: [root], remainder: '' }
    const trace: CID[] = []
    try {
      const end = await resolveSegments('ipfs', root, segments, sources, { ...options, trace })
      const place = { ...end, roots: [root, ...trace] }
      // the last block is not read for the way to it
      if (denylist !== undefined) await refuseDeniedBlock(denylist, end.cid)
      if (end.remainder !== '') await this.#refuseDeniedEnd(blocksOn(root, trace))
      if (denylist === undefined) this.cache?.keep(root, segments, place)
      return place
    } catch (error) {
      const why = absent(error, segments[trace.length], trace.at(-1) ?? root)
      if (isAbsent(why)) await this.#refuseDeniedEnd(blocksOn(root, trace))
      throw this.unresolved(why)
    }
  }
}

/** How many segments lead to the last block, where each has the block that it was looked up in or led to. */
function blocksOn(root: CID, trace: readonly CID[]): number {
  const last = trace.at(-1) ?? root
  return last.equals(root) ? 0 : trace.findIndex(cid => cid.equals(last)) + 1
}

/** Errors by which a block says that it has no such entry. */
const ABSENT = ['E_KEY_NOT_FOUND', 'E_NO_SUCH_FIELD', 'E_WRONG_KIND', 'E_FILE_HAS_NO_LINKS']

function absent(error: unknown, segment: string | undefined, at: CID): unknown {
  if (segment === undefined || !ABSENT.some(code => hasCode(error, code))) return error
  return pathErrors.E_LINK_MISSING(segment, cidToString(at))
}

/** Whether an error says that a path leads nowhere, and not that a block could not be had. */
export function isAbsent(error: unknown): boolean {
  return hasCode(error, 'E_LINK_MISSING')
}

/** Nothing where an error says that something is not to be had; what is denied is told. */
export function unlessDenied(error: unknown): undefined {
  if (hasCode(error, 'E_DENIED')) throw error
  return undefined
}

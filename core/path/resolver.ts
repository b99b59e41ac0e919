import { refuseDeniedPath } from '../denial.ts'
import { commonErrors } from '../errors/common.ts'
import type { Denylist } from '../services/content/denylist.ts'
import type { NameOptions, NamespaceResolver, PathResolver, Resolved } from '../services/content/paths.ts'
import type { BlockOptions } from '../services/storage/blocks.ts'
import type { Sources } from '../unixfs/export/node.ts'
import { pathErrors } from './errors.ts'
import { type ContentPath, parseAbsolutePath, parseContentPath } from './parse.ts'
import { resolveSegments } from './resolve.ts'

/** How long following one path may take, in milliseconds (Kubo 0.28, boxo/path/resolver). */
export const PATIENCE = 60_000

/** The resolver of content paths over any source of blocks. */
export class ContentPathResolver implements PathResolver {
  readonly #sources: Sources
  readonly #namespaces = new Map<string, NamespaceResolver>()
  readonly #denylist: Denylist | undefined

  /** @param denylist - what stands against paths */
  constructor(sources: Sources, denylist?: Denylist) {
    this.#sources = sources
    this.#denylist = denylist
  }

  addNamespace(namespace: string, resolver: NamespaceResolver): void {
    if (this.#namespaces.has(namespace)) throw pathErrors.E_NAMESPACE_TAKEN(namespace)
    this.#namespaces.set(namespace, resolver)
  }

  /** Being offline counts for names and for what is read in the end, not for the blocks on the way there (Kubo 0.28, core/coreapi). */
  async resolve(text: string, options?: BlockOptions): Promise<Resolved> {
    const named = parseContentPath(text)
    const path = named.cid === undefined ? parseAbsolutePath(await this.#follow(named, { ...options, recursive: true })) : named
    const { namespace, cid: root, segments } = path
    if (namespace === 'ipns' || root === undefined) throw commonErrors.E_ACTION_NEEDS_ONLINE()
    if (options?.removal !== true) await refuseDeniedPath(this.#denylist, { namespace: 'ipfs', root, segments })
    const of = { namespace, root, path: path.text }
    if (segments.length === 0) return { ...of, cid: root, remainder: '' }
    const end = await within(options?.signal, limited => resolveSegments(namespace, root, segments, this.#sources, limited))
    return { ...of, ...end }
  }

  async follow(text: string, options: NameOptions = {}): Promise<string> {
    return this.#follow(parseContentPath(text), options)
  }

  /** The path that a name stands for, what followed the name kept. */
  async #follow({ namespace, root, segments, text }: ContentPath, options: NameOptions): Promise<string> {
    if (namespace !== 'ipns') return text
    if (options.removal !== true) await refuseDeniedPath(this.#denylist, { namespace, name: root, segments })
    const resolver = this.#namespaces.get(namespace)
    if (resolver === undefined) throw commonErrors.E_ACTION_NEEDS_ONLINE()
    const isChecked = this.#denylist !== undefined && options.removal !== true && options.recursive === true
    const end = isChecked ? await this.#followAllowed(text, resolver, options) : text
    return end.startsWith('/ipns/') ? (await resolver(root, options)) + text.slice(`/${namespace}/${root}`.length) : end
  }

  /** Follows a path name by name: the denylist may stand against one that another leads to. What takes more steps is refused by who follows names. */
  async #followAllowed(text: string, resolver: NamespaceResolver, options: NameOptions): Promise<string> {
    let path = text
    for (let steps = 0; steps < MOST_STEPS && path.startsWith('/ipns/'); steps++) {
      const { root, segments, text } = parseAbsolutePath(path)
      await refuseDeniedPath(this.#denylist, { namespace: 'ipns', name: root, segments })
      path = (await resolver(root, { ...options, recursive: false })) + text.slice(`/ipns/${root}`.length)
    }
    return path
  }
}

/** Names that lead to names (Kubo 0.28, boxo/namesys: DefaultDepthLimit). */
const MOST_STEPS = 32

/** Runs `work` with a signal that also fires when patience is over. */
async function within<T>(signal: AbortSignal | undefined, work: (options: BlockOptions) => Promise<T>): Promise<T> {
  signal?.throwIfAborted()
  const limit = new AbortController()
  const forward = () => limit.abort(signal?.reason)
  const timer = setTimeout(() => limit.abort(commonErrors.E_TIMEOUT()), PATIENCE)
  signal?.addEventListener('abort', forward, { once: true })
  try {
    return await work({ signal: limit.signal })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', forward)
  }
}

import { commonErrors } from '../errors/common.ts'
import { pathErrors } from '../errors/path.ts'
import type { BlockOptions } from '../services/blocks.ts'
import type { NamespaceResolver, PathResolver, Resolved } from '../services/paths.ts'
import type { Sources } from '../unixfs/export/node.ts'
import { type ContentPath, parseAbsolutePath, parseContentPath } from './parse.ts'
import { resolveSegments } from './resolve.ts'

/** How long following one path may take, in milliseconds (Kubo 0.28, boxo/path/resolver). */
const PATIENCE = 60_000

/** Names that lead to names are followed this often. */
const MOST_NAMES = 32

/** The resolver of content paths over any source of blocks. */
export class ContentPathResolver implements PathResolver {
  readonly #sources: Sources
  readonly #namespaces = new Map<string, NamespaceResolver>()

  constructor(sources: Sources) {
    this.#sources = sources
  }

  addNamespace(namespace: string, resolver: NamespaceResolver): void {
    if (this.#namespaces.has(namespace)) throw pathErrors.E_NAMESPACE_TAKEN(namespace)
    this.#namespaces.set(namespace, resolver)
  }

  async resolve(text: string, options?: BlockOptions): Promise<Resolved> {
    const { namespace, cid: root, segments, text: path } = await this.#named(parseContentPath(text), options)
    if (namespace === 'ipns' || root === undefined) throw commonErrors.E_ACTION_NEEDS_ONLINE()
    if (segments.length === 0) return { namespace, root, cid: root, remainder: '', path }
    const end = await within(options, limited => resolveSegments(namespace, root, segments, this.#sources, limited))
    return { namespace, root, path, ...end }
  }

  /** The path that a name stands for, what followed the name kept. */
  async #named(path: ContentPath, options?: BlockOptions): Promise<ContentPath> {
    for (let i = 0; path.namespace === 'ipns' && i < MOST_NAMES; i++) {
      const resolver = this.#namespaces.get(path.namespace)
      if (resolver === undefined) break
      const target = await resolver(path.root, { ...options, recursive: true })
      const rest = path.text.slice(`/${path.namespace}/${path.root}`.length)
      path = parseAbsolutePath(target + rest)
    }
    return path
  }
}

/** Runs `work` with a signal that also fires when patience is over. */
async function within<T>(options: BlockOptions | undefined, work: (options: BlockOptions) => Promise<T>): Promise<T> {
  const { signal } = options ?? {}
  signal?.throwIfAborted()
  const limit = new AbortController()
  const forward = () => limit.abort(signal?.reason)
  const timer = setTimeout(() => limit.abort(commonErrors.E_TIMEOUT()), PATIENCE)
  signal?.addEventListener('abort', forward, { once: true })
  try {
    return await work({ ...options, signal: limit.signal })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', forward)
  }
}

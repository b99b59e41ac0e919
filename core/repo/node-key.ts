import type { NodeKeyReader } from '../services/host/host.ts'
import type { NodeKey } from '../services/storage/repo.ts'

/** The effect of a key of the node configuration on a node. */
export interface NodeKeyEffect {
  /** When a change of it counts; `never` where nobody reads it. */
  readonly effect: 'at once' | 'at start' | 'never'
  /** The readers of the key: plugins, or `host`. */
  readonly by: readonly string[]
  /** Why it has no effect. */
  readonly why?: string
}

/** The effect of a key where these are the parts that read keys. One that anybody reads at the start takes effect at the start. */
export function nodeKeyEffect({ key, unread = NOBODY }: Pick<NodeKey, 'key' | 'unread'>, readers: readonly NodeKeyReader[]): NodeKeyEffect {
  const all = readers.filter(({ keys }) => reads(key, keys.atOnce) || reads(key, keys.atStart))
  const there = all.filter(({ absent }) => absent === undefined)
  if (there.length > 0) {
    const effect = there.some(({ keys }) => reads(key, keys.atStart)) ? 'at start' : 'at once'
    return { effect, by: there.map(({ name }) => name) }
  }
  return { effect: 'never', by: [], why: all.length === 0 ? unread : all.map(({ name, absent }) => `plugin ${name} ${absent}`).join('; ') }
}

const NOBODY = 'no part of this node reads it'

const reads = (key: string, roots: readonly string[] = []): boolean => roots.some(root => isKeyBelow(key, root))

/** Whether a dotted key is this one, or lies below it. */
export const isKeyBelow = (key: string, root: string): boolean => key === root || key.startsWith(`${root}.`)

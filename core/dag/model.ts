import { CID } from 'multiformats/cid'

/**
 * A value of the IPLD data model. It keeps all that the reference keeps: the order of a map's entries, integers apart from floats,
 * unsigned integers up to 2^64-1, and strings that are no UTF-8 (see `core/go/utf8.ts`).
 *
 * | kind   | as                                                      |
 * | ------ | ------------------------------------------------------- |
 * | null   | `null`                                                  |
 * | bool   | `boolean`                                               |
 * | int    | `bigint`, -2^63 to 2^64-1                               |
 * | float  | `number`                                                |
 * | string | `string`                                                |
 * | bytes  | `Uint8Array`                                            |
 * | link   | `CID`                                                   |
 * | list   | array                                                   |
 * | map    | `Map` with strings as keys, in the order of the block   |
 *
 * A value that belongs to a schema (a dag-pb node and its parts) is wrapped in {@link Typed}.
 */
export type Node = Plain | Typed
export type Plain = null | boolean | bigint | number | string | Uint8Array | CID | Node[] | Map<string, Node>

/** A value together with the name of its type, which error texts mention. */
export class Typed {
  readonly type: string
  readonly value: Plain

  constructor(type: string, value: Plain) {
    this.type = type
    this.value = value
  }
}

/** An optional field that a block does not have. Encoders write it as null; a schema that allows it leaves it out. */
export const ABSENT: Typed = new Typed('absent', null)

export type Kind = 'null' | 'bool' | 'int' | 'float' | 'string' | 'bytes' | 'link' | 'list' | 'map'

const NO_ITEMS: Node[] = []
const NO_ENTRIES: Map<string, Node> = new Map()

/** Entries that the first one of a list makes room for. */
export const ROOM = 17

/**
 * A list or map that gets no more entries, in the memory that it needs: a block can have a million of them in as many bytes. All empty ones
 * are the same.
 */
export function finished(value: Node[] | Map<string, Node>): Node[] | Map<string, Node> {
  if (Array.isArray(value)) {
    if (value.length === 0) return NO_ITEMS
    return value.length < ROOM ? value.slice() : value
  }
  return value.size === 0 ? NO_ENTRIES : value
}

export const MAX_INT64 = (1n << 63n) - 1n
export const MAX_UINT64 = (1n << 64n) - 1n

/** The value without its type. */
export function plain(node: Node): Plain {
  return node instanceof Typed ? node.value : node
}

export function kindOf(node: Node): Kind {
  const value = plain(node)
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'bigint':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
  }
  if (value === null) return 'null'
  if (value instanceof Map) return 'map'
  if (Array.isArray(value)) return 'list'
  return value instanceof Uint8Array ? 'bytes' : 'link'
}

export function isLink(value: Node): value is CID {
  return value !== null && typeof value === 'object' && kindOf(value) === 'link'
}

/** The type's name for error texts: a schema's, or that of the kind. */
export function typeName(node: Node): string {
  return node instanceof Typed ? node.type : kindOf(node)
}

/** Links in the order of the node, each as often as it occurs. */
export function* linksIn(node: Node): Generator<CID> {
  const stack: Array<Iterator<Node>> = [[node].values()]
  while (stack.length > 0) {
    const { value: next, done } = stack.at(-1)!.next()
    if (done) {
      stack.pop()
      continue
    }
    const value = plain(next)
    if (value === null || typeof value !== 'object' || value instanceof Uint8Array) continue
    if (value instanceof Map || Array.isArray(value)) stack.push(value.values())
    else yield value
  }
}

/** Where the link at `index` of {@link linksIn} stands: the keys that lead to it. */
export function pathOfLink(node: Node, index: number): string[] {
  let left = index
  const keys: string[] = []
  const stack: Array<Iterator<[number | string, Node]>> = [[node].entries()]
  while (stack.length > 0) {
    const { value: next, done } = stack.at(-1)!.next()
    if (done) {
      stack.pop()
      continue
    }
    keys.length = stack.length - 1
    keys.push(String(next[0]))
    const value = plain(next[1])
    if (value === null || typeof value !== 'object' || value instanceof Uint8Array) continue
    if (value instanceof Map || Array.isArray(value)) stack.push(value.entries() as Iterator<[number | string, Node]>)
    else if (left-- === 0) return keys.slice(1)
  }
  return []
}

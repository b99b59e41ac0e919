import { dagErrors } from '../../core/dag/errors.ts'
import { PREFIX_V0, type ProtoNode, readProtoNode, type StoredNode, storeProtoNode } from '../../core/dag/proto-node.ts'
import { MAX_BLOCK } from '../../core/dag/size.ts'
import type { BlockOptions } from '../../core/index.ts'
import { DIRECTORY_DATA } from '../../core/unixfs/import/encode.ts'
import { objectErrors } from './errors.ts'
import type { NodeSources } from './nodes.ts'

const EMPTY_FOLDER: ProtoNode = { links: [], data: DIRECTORY_DATA, prefix: PREFIX_V0 }

interface PatchOptions extends BlockOptions {
  readonly signal: AbortSignal
  /** Make folders for the names on the way that are missing. */
  readonly create?: boolean | undefined
  /** Most names in a path. */
  readonly maxDepth: number
}

const without = (node: ProtoNode, name: string): ProtoNode => ({ ...node, links: node.links.filter(link => link.name !== name) })

/** The node with one link of this name, to `child`. */
function withLink(node: ProtoNode, name: string, { cid, size }: StoredNode): ProtoNode {
  return { ...node, links: [...without(node, name).links, { name, cid, size }] }
}

/** Changes the links of nodes below a root, and stores the nodes on the way (boxo 0.19, ipld/merkledag/dagutils/utils.go). */
export class Patch {
  readonly #sources: NodeSources
  readonly #options: PatchOptions

  constructor(sources: NodeSources, options: PatchOptions) {
    this.#sources = sources
    this.#options = options
  }

  /** @throws E_OBJECT_LINK, E_OBJECT_LINK_NAME, E_NOT_PROTOBUF on the way */
  addLink(root: ProtoNode, path: string, child: StoredNode): Promise<StoredNode> {
    return this.#change(root, path, (node, name) => {
      if (name === '') throw objectErrors.E_OBJECT_LINK_NAME()
      return withLink(node, name, child)
    })
  }

  /** Removes all links of a name. @throws E_OBJECT_LINK, E_NOT_PROTOBUF on the way */
  removeLink(root: ProtoNode, path: string): Promise<StoredNode> {
    return this.#change(root, path, (node, name) => {
      if (!node.links.some(link => link.name === name)) throw objectErrors.E_OBJECT_LINK()
      return without(node, name)
    })
  }

  async #change(root: ProtoNode, path: string, change: (node: ProtoNode, name: string) => ProtoNode): Promise<StoredNode> {
    const names = path.split('/')
    if (names.length > this.#options.maxDepth) throw objectErrors.E_OBJECT_DEPTH(this.#options.maxDepth)
    const last = names.pop()!
    const above: Array<{ node: ProtoNode; name: string }> = []
    let node = root
    for (const name of names) {
      above.push({ node, name })
      node = await this.#below(node, name)
    }
    let stored = await this.#store(change(node, last))
    for (const { node, name } of above.reverse()) stored = await this.#store(withLink(node, name, stored))
    return stored
  }

  async #below(node: ProtoNode, name: string): Promise<ProtoNode> {
    const link = node.links.find(link => link.name === name)
    if (link !== undefined) return readProtoNode(link.cid, await this.#sources.blocks.get(link.cid, this.#options))
    if (this.#options.create) return EMPTY_FOLDER
    throw objectErrors.E_OBJECT_LINK()
  }

  #store(node: ProtoNode): Promise<StoredNode> {
    return storeProtoNode(node, this.#sources, this.#options)
  }
}

/** @throws E_BLOCK_TOO_LARGE: the reference means the node and all below it */
export function checkPatched({ size }: StoredNode, allowBigBlock: boolean): void {
  if (size > MAX_BLOCK && !allowBigBlock) throw dagErrors.E_BLOCK_TOO_LARGE()
}

import { constants } from 'node:os'
import type { TreeFile } from './file.ts'

/** A file or directory of a tree that the kernel holds, known by where it is. */
export interface TreeNode {
  readonly id: bigint
  readonly type: 'file' | 'directory'
  /** The directory that it is in; undefined of the root, and of what is gone. */
  parent: TreeNode | undefined
  name: string
  /** How many times the kernel looked it up and did not forget it. */
  lookups: bigint
  /** The open state of a file; all that have it open share it. */
  file?: TreeFile | undefined
}

/** Which files and directories of a tree the kernel holds, and by which numbers. */
export class TreeNodes {
  readonly #most: number
  readonly #byId = new Map<bigint, TreeNode>()
  readonly #byName = new Map<string, TreeNode>()
  readonly root: TreeNode
  #next: bigint

  /** @param first - where the numbers begin: the root's is the next one */
  constructor(most: number, first: bigint) {
    this.#most = most
    this.root = { id: first + 1n, type: 'directory', parent: undefined, name: '', lookups: 1n }
    this.#next = first + 2n
    this.#byId.set(this.root.id, this.root)
  }

  get(id: bigint): TreeNode | undefined {
    return this.#byId.get(id)
  }

  /** The node of an entry that was looked up, or `ENFILE`. An entry that is of another type than it was has another one. */
  lookedUp(parent: TreeNode, name: string, type: TreeNode['type']): TreeNode | number {
    let node = this.#byName.get(keyOf(parent, name))
    if (node?.type !== type) {
      if (this.#byId.size >= this.#most) return constants.errno.ENFILE
      if (node !== undefined) this.remove(node)
      node = { id: this.#next++, type, parent, name, lookups: 0n }
      this.#byId.set(node.id, node)
      this.#byName.set(keyOf(parent, name), node)
    }
    node.lookups++
    return node
  }

  /** The node of an entry, where the kernel holds it. */
  at(parent: TreeNode, name: string): TreeNode | undefined {
    return this.#byName.get(keyOf(parent, name))
  }

  forget(id: bigint, times: bigint): void {
    const node = this.#byId.get(id)
    if (node === undefined || node === this.root) return
    node.lookups -= times
    if (node.lookups > 0n) return
    this.#byId.delete(id)
    if (node.parent !== undefined) this.#byName.delete(keyOf(node.parent, node.name))
  }

  /** Its entry is gone, or another's; who has it open keeps it. */
  remove(node: TreeNode): void {
    if (node.parent === undefined) return
    this.#byName.delete(keyOf(node.parent, node.name))
    node.parent = undefined
  }

  /** Puts it where its entry is now. */
  move(node: TreeNode, parent: TreeNode, name: string): void {
    this.remove(node)
    node.parent = parent
    node.name = name
    this.#byName.set(keyOf(parent, name), node)
  }

  /** The path of a node. @returns undefined of what is gone */
  pathOf(node: TreeNode): string | undefined {
    const names: string[] = []
    for (let at = node; at !== this.root; at = at.parent) {
      if (at.parent === undefined) return undefined
      names.push(at.name)
    }
    return `/${names.reverse().join('/')}`
  }
}

function keyOf(parent: TreeNode, name: string): string {
  return `${parent.id}/${name}`
}

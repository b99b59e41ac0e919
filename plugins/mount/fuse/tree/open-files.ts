import { type Lease, type Mfs, messageOf } from '../../../../core/index.ts'
import { FileGone, TreeFile, type Waiting } from './file.ts'
import type { TreeNode } from './nodes.ts'

/** The parts of a mount that its files in use need. */
interface OpenFilesParts {
  readonly tree: Mfs
  readonly waiting: Waiting
  /** The path of a node as it is now; undefined once it is removed. */
  pathOf(node: TreeNode): string | undefined
  /** The tree has changed, and the change survives power loss. */
  changed?(): void
}

/** The files of a mount that are in use. */
export class OpenFiles {
  readonly #parts: OpenFilesParts
  readonly #files = new Set<TreeFile>()

  constructor(parts: OpenFilesParts) {
    this.#parts = parts
  }

  /** The file of a node, which all that use it at a time share. */
  use(node: TreeNode): TreeFile {
    node.file ??= new TreeFile(this.#parts.tree, () => this.#parts.pathOf(node), this.#parts.waiting)
    node.file.users++
    this.#files.add(node.file)
    return node.file
  }

  /** Ends one use of the file, with the flush of writes after the last `close`, of a file that was mapped into memory. */
  async release(node: TreeNode, file: TreeFile): Promise<void> {
    try {
      await this.flush(file)
    } finally {
      if (--file.users === 0) {
        if (node.file === file) node.file = undefined
        this.#files.delete(file)
        await file.close()
      }
    }
  }

  async flush(file: TreeFile): Promise<void> {
    if (await file.flush(true)) this.#parts.changed?.()
  }

  /** Holds up the writes of all files until the leases are released. They are added to `held` one by one, so that none is lost by an error. */
  async hold(held: Lease[]): Promise<void> {
    for (const file of this.#files) held.push(await file.hold())
  }

  /** The close of all that is open; what was written becomes part of the tree. @throws AggregateError of what could not */
  async close(): Promise<void> {
    const files = [...this.#files]
    this.#files.clear()
    const ends = await Promise.allSettled(files.map(file => this.#end(file)))
    const lost = ends.flatMap(end => (end.status === 'rejected' && !(end.reason instanceof FileGone) ? [end.reason] : []))
    if (lost.length > 0) throw new AggregateError(lost, [...new Set(lost.map(messageOf))].join('; '))
  }

  async #end(file: TreeFile): Promise<void> {
    try {
      await this.flush(file)
    } finally {
      await file.close()
    }
  }
}

import { constants } from 'node:os'
import type { Lease, Mfs } from '../../../../core/index.ts'
import { decodeRename, type Request } from '../protocol.ts'
import type { TreeNode, TreeNodes } from './nodes.ts'
import type { OpenFiles } from './open-files.ts'
import { hasNothingBelow, isThere, join } from './paths.ts'

const { errno } = constants

/** The flag of `RENAME2` that has it fail where the new name is there. Its other flags are refused. */
const NO_REPLACE = 1

const NOTHING = new Uint8Array(0)

/** The parts of a mount that its renames need. */
interface RenamesParts {
  readonly tree: Mfs
  readonly nodes: TreeNodes
  readonly files: OpenFiles
  /** The tree has changed, and the change survives power loss. */
  changed?(): void
}

/** A rename: an entry of a directory, by node and path, to be another. */
interface Renaming {
  readonly parent: TreeNode
  readonly from: string
  readonly source: string
  readonly target: TreeNode
  readonly to: string
  readonly dest: string
  readonly type: TreeNode['type']
}

/** The renames of a mount: one at a time, as each holds open files. */
export class Renames {
  readonly #parts: RenamesParts
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: RenamesParts) {
    this.#parts = parts
  }

  /** As `rename(2)` has it: over a file, or over an empty directory. What is written to open files goes with them. */
  run(parent: TreeNode, request: Request, signal: AbortSignal): Promise<Uint8Array | number> {
    const renamed = this.#last.then(() => this.#rename(parent, request, signal))
    this.#last = renamed.catch(() => {})
    return renamed
  }

  async #rename(parent: TreeNode, request: Request, signal: AbortSignal): Promise<Uint8Array | number> {
    const above = this.#parts.nodes.pathOf(parent)
    const { folder, flags, from, to } = decodeRename(request)
    const target = this.#parts.nodes.get(folder)
    const into = target && this.#parts.nodes.pathOf(target)
    if ((flags & ~NO_REPLACE) !== 0) return errno.EINVAL
    // a directory of another tree: programs copy then
    if (target === undefined) return errno.EXDEV
    if (above === undefined || into === undefined || from === undefined) return errno.ENOENT
    if (to === undefined) return errno.EILSEQ
    const [source, dest] = [join(above, from), join(into, to)]
    if (source === dest) return NOTHING
    if (dest.startsWith(`${source}/`)) return errno.EINVAL
    const { type } = await this.#parts.tree.stat(source, { signal })
    if (await isThere(this.#parts.tree, dest, signal)) {
      if (flags & NO_REPLACE) return errno.EEXIST
      const is = (await this.#parts.tree.stat(dest, { signal })).type
      if (type !== is) return is === 'directory' ? errno.EISDIR : errno.ENOTDIR
      if (!(await hasNothingBelow(this.#parts.tree, dest, signal))) return errno.ENOTEMPTY
    }
    const held: Lease[] = []
    try {
      // a write goes where its file is: none comes between the tree's move and that of the nodes
      await this.#parts.files.hold(held)
      await this.#move({ parent, from, source, target, to, dest, type }, signal)
    } finally {
      for (const lease of held) lease.release()
    }
    this.#parts.changed?.()
    return NOTHING
  }

  async #move({ parent, from, source, target, to, dest, type }: Renaming, signal: AbortSignal): Promise<void> {
    if (type === 'directory' && (await isThere(this.#parts.tree, dest, signal)))
      await this.#parts.tree.remove(dest, { recursive: true, flush: false })
    await this.#parts.tree.move(source, dest)
    const [node, over] = [this.#parts.nodes.at(parent, from), this.#parts.nodes.at(target, to)]
    if (over !== undefined) this.#parts.nodes.remove(over)
    if (node !== undefined) this.#parts.nodes.move(node, target, to)
  }
}

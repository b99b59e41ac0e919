import { constants } from 'node:os'
import { hasCode, type Lease, type Mfs, messageOf } from '../../../core/index.ts'
import { Handles } from './handles.ts'
import { Listing } from './listing.ts'
import {
  type Attributes,
  decodeName,
  decodeNewSize,
  decodeRead,
  decodeRename,
  decodeWrite,
  encodeAttributes,
  encodeEntry,
  encodeStatfs,
  encodeWritten,
  Op,
  type Request
} from './protocol.ts'
import type { FileSystem } from './session.ts'
import { numberOf } from './tree-errors.ts'
import { FileGone, TreeFile, type Waiting } from './tree-file.ts'
import { type TreeNode, TreeNodes } from './tree-nodes.ts'

const { errno } = constants

/** Seconds for which the kernel may keep what it was told: others change the tree as well. */
const VALIDITY = 1

/** Of `RENAME2`: fail where the new name is there. The others of its flags are refused. */
const NO_REPLACE = 1

/** The root of a mount. */
export const ROOT: Attributes = { id: 1n, type: 'directory', size: 0n }

/** Bytes before the name in `MKNOD` and `CREATE`, and in `MKDIR`. */
const [MODE_HEAD, MKDIR_HEAD] = [16, 8]

const NOTHING = new Uint8Array(0)

interface Parts {
  readonly tree: Mfs
  readonly waiting: Waiting
  /** Where the numbers of its nodes begin. Default: 0, that of a mount of the tree alone. */
  readonly first?: bigint
  /** The tree has changed, and the change survives power loss. */
  changed?(): void
  /** Files and directories that the kernel may hold at a time. */
  readonly maxNodes: number
  /** Files and directories that may be open at a time. */
  readonly maxHandles: number
  /** Entries of a directory that may be listed. */
  readonly maxEntries: number
}

/**
 * The mutable tree, to be read and written. A change is seen by all at once but for what is written to an open file: that becomes part of
 * the tree by the mebibyte, when the file is read, and when it is closed. Modes, owners and times are taken and not kept.
 */
export class TreeFiles implements FileSystem {
  readonly #parts: Parts
  readonly #nodes: TreeNodes
  readonly #handles: Handles<TreeNode | Listing>
  /** Files that are in use. */
  readonly #files = new Set<TreeFile>()
  /** One renaming at a time, as each holds open files. */
  #renaming: Promise<unknown> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#nodes = new TreeNodes(parts.maxNodes, parts.first ?? 0n)
    this.#handles = new Handles(parts.maxHandles)
  }

  async handle(request: Request, signal: AbortSignal): Promise<Uint8Array | number> {
    const { op, body } = request
    if (op === Op.READ) return this.#read(body)
    if (op === Op.WRITE) return this.#write(body)
    if (op === Op.READDIR) return this.#list(body)
    if (op === Op.RELEASE || op === Op.RELEASEDIR) return this.#release(body)
    if (op === Op.STATFS) return encodeStatfs()
    if (op === Op.FLUSH || op === Op.FSYNC || op === Op.FSYNCDIR) return this.#flush(body)
    const node = this.#nodes.get(request.node)
    const path = node && this.#nodes.pathOf(node)
    if (node === undefined || path === undefined) return errno.ENOENT
    if (op === Op.LOOKUP) return this.#lookUp(node, decodeName(body), signal)
    if (op === Op.GETATTR) return encodeAttributes(await this.#attributes(node, path, signal), VALIDITY)
    if (op === Op.SETATTR) return this.#change(node, path, decodeNewSize(body), signal)
    if (op === Op.OPEN) return this.#open(node)
    if (op === Op.OPENDIR) return this.#openDirectory(path, signal)
    if (op === Op.MKNOD) return this.#create(node, path, decodeName(body.subarray(MODE_HEAD)), signal)
    if (op === Op.CREATE) return this.#createAndOpen(node, path, decodeName(body.subarray(MODE_HEAD)), signal)
    if (op === Op.MKDIR) return this.#mkdir(node, path, decodeName(body.subarray(MKDIR_HEAD)), signal)
    if (op === Op.UNLINK || op === Op.RMDIR) return this.#remove(node, path, decodeName(body), signal)
    if (op === Op.RENAME || op === Op.RENAME2) {
      const renamed = this.#renaming.then(() => this.#rename(node, request, signal))
      this.#renaming = renamed.catch(() => {})
      return renamed
    }
    return errno.ENOSYS
  }

  forget(id: bigint, times: bigint): void {
    this.#nodes.forget(id, times)
  }

  errorOf(error: unknown): number {
    return numberOf(error)
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
      if (await file.flush(true)) this.#parts.changed?.()
    } finally {
      await file.close()
    }
  }

  async #attributes(node: TreeNode, path: string, signal: AbortSignal): Promise<Attributes> {
    const { size } = await this.#parts.tree.stat(path, { signal })
    const end = node.file?.end ?? 0n
    return { id: node.id, type: node.type, size: node.type === 'directory' || size > end ? size : end, isWritable: true }
  }

  async #lookUp(parent: TreeNode, name: string | undefined, signal: AbortSignal): Promise<Uint8Array | number> {
    const path = name === undefined ? undefined : this.#below(parent, name)
    if (path === undefined) return errno.ENOENT
    const { type } = await this.#parts.tree.stat(path, { signal })
    return this.#entry(parent, name!, path, type, signal)
  }

  async #entry(parent: TreeNode, name: string, path: string, type: TreeNode['type'], signal: AbortSignal): Promise<Uint8Array | number> {
    const node = this.#nodes.lookedUp(parent, name, type)
    return typeof node === 'number' ? node : encodeEntry(await this.#attributes(node, path, signal), VALIDITY)
  }

  #open(node: TreeNode): Uint8Array | number {
    if (node.type === 'directory') return errno.EISDIR
    const answer = this.#handles.add(node)
    if (typeof answer !== 'number') this.#use(node)
    return answer
  }

  /** The file of a node, which all that use it at a time share. */
  #use(node: TreeNode): TreeFile {
    node.file ??= new TreeFile(this.#parts.tree, () => this.#nodes.pathOf(node), this.#parts.waiting)
    node.file.users++
    this.#files.add(node.file)
    return node.file
  }

  /** The flush of writes after the last `close`, of a file that was mapped into memory. */
  async #letGo(node: TreeNode, file: TreeFile): Promise<void> {
    try {
      if (await file.flush(true)) this.#parts.changed?.()
    } finally {
      if (--file.users === 0) {
        if (node.file === file) node.file = undefined
        this.#files.delete(file)
        await file.close()
      }
    }
  }

  async #openDirectory(path: string, signal: AbortSignal): Promise<Uint8Array | number> {
    const listing = new Listing()
    for await (const { name } of this.#parts.tree.list(path, { signal })) {
      if (listing.length >= this.#parts.maxEntries) return errno.EOVERFLOW
      listing.add(name)
    }
    return this.#handles.add(listing)
  }

  async #read(body: Buffer): Promise<Uint8Array | number> {
    const { handle, offset, size } = decodeRead(body)
    return (await this.#fileOf(handle)?.read(offset, size)) ?? errno.EBADF
  }

  async #write(body: Buffer): Promise<Uint8Array | number> {
    const { handle, offset, bytes } = decodeWrite(body)
    const file = this.#fileOf(handle)
    if (file === undefined) return errno.EBADF
    await file.write(offset, bytes)
    return encodeWritten(bytes.length)
  }

  #fileOf(handle: bigint): TreeFile | undefined {
    const open = this.#handles.get(handle)
    return open instanceof Listing ? undefined : open?.file
  }

  /** Of `close` and `fsync`: what was written survives power loss. A directory has nothing that waits. */
  async #flush(body: Buffer): Promise<Uint8Array> {
    if (await this.#fileOf(body.readBigUInt64LE(0))?.flush(true)) this.#parts.changed?.()
    return NOTHING
  }

  #list(body: Buffer): Uint8Array | number {
    const { handle, offset, size } = decodeRead(body)
    const listing = this.#handles.get(handle)
    return listing instanceof Listing ? listing.read(offset, size) : errno.EBADF
  }

  async #release(body: Buffer): Promise<Uint8Array> {
    const open = this.#handles.take(body.readBigUInt64LE(0))
    if (open === undefined || open instanceof Listing) return NOTHING
    if (open.file !== undefined) await this.#letGo(open, open.file)
    return NOTHING
  }

  async #change(node: TreeNode, path: string, size: bigint | undefined, signal: AbortSignal): Promise<Uint8Array | number> {
    if (size !== undefined) {
      if (node.type === 'directory') return errno.EISDIR
      const file = this.#use(node)
      try {
        await file.resize(size)
      } finally {
        await this.#letGo(node, file)
      }
    }
    return encodeAttributes(await this.#attributes(node, path, signal), VALIDITY)
  }

  async #create(parent: TreeNode, above: string, name: string | undefined, signal: AbortSignal): Promise<Uint8Array | number> {
    if (name === undefined) return errno.EILSEQ
    const path = join(above, name)
    if (await this.#isThere(path, signal)) return errno.EEXIST
    await this.#parts.tree.write(path, empty(), { create: true, signal })
    this.#parts.changed?.()
    return this.#entry(parent, name, path, 'file', signal)
  }

  async #createAndOpen(parent: TreeNode, above: string, name: string | undefined, signal: AbortSignal): Promise<Uint8Array | number> {
    const entry = await this.#create(parent, above, name, signal)
    if (typeof entry === 'number') return entry
    const node = this.#nodes.at(parent, name!)
    const opened = node === undefined ? errno.ENOENT : this.#open(node)
    return typeof opened === 'number' ? opened : Buffer.concat([entry, opened])
  }

  async #mkdir(parent: TreeNode, above: string, name: string | undefined, signal: AbortSignal): Promise<Uint8Array | number> {
    if (name === undefined) return errno.EILSEQ
    const path = join(above, name)
    await this.#parts.tree.mkdir(path, { signal })
    this.#parts.changed?.()
    return this.#entry(parent, name, path, 'directory', signal)
  }

  async #remove(parent: TreeNode, above: string, name: string | undefined, signal: AbortSignal): Promise<Uint8Array | number> {
    if (name === undefined) return errno.ENOENT
    const path = join(above, name)
    if (!(await this.#canGo(path, signal))) return errno.ENOTEMPTY
    await this.#parts.tree.remove(path, { recursive: true, signal })
    this.#parts.changed?.()
    const node = this.#nodes.at(parent, name)
    if (node !== undefined) this.#nodes.remove(node)
    return NOTHING
  }

  /** As `rename(2)` has it: over a file, or over an empty directory. What is written to open files goes with them. */
  async #rename(parent: TreeNode, request: Request, signal: AbortSignal): Promise<Uint8Array | number> {
    const above = this.#nodes.pathOf(parent)
    const { folder, flags, from, to } = decodeRename(request)
    const target = this.#nodes.get(folder)
    const into = target && this.#nodes.pathOf(target)
    if ((flags & ~NO_REPLACE) !== 0) return errno.EINVAL
    // a directory of another tree: programs copy then
    if (target === undefined) return errno.EXDEV
    if (above === undefined || into === undefined || from === undefined) return errno.ENOENT
    if (to === undefined) return errno.EILSEQ
    const [source, dest] = [join(above, from), join(into, to)]
    if (source === dest) return NOTHING
    if (dest.startsWith(`${source}/`)) return errno.EINVAL
    const { type } = await this.#parts.tree.stat(source, { signal })
    if (await this.#isThere(dest, signal)) {
      if (flags & NO_REPLACE) return errno.EEXIST
      const is = (await this.#parts.tree.stat(dest, { signal })).type
      if (type !== is) return is === 'directory' ? errno.EISDIR : errno.ENOTDIR
      if (!(await this.#canGo(dest, signal))) return errno.ENOTEMPTY
    }
    const held: Lease[] = []
    try {
      // a write goes where its file is: none comes between the tree's move and that of the nodes
      for (const file of this.#files) held.push(await file.hold())
      await this.#move({ parent, from, source, target, to, dest, type }, signal)
    } finally {
      for (const lease of held) lease.release()
    }
    this.#parts.changed?.()
    return NOTHING
  }

  async #move({ parent, from, source, target, to, dest, type }: Renaming, signal: AbortSignal): Promise<void> {
    if (type === 'directory' && (await this.#isThere(dest, signal))) await this.#parts.tree.remove(dest, { recursive: true, flush: false })
    await this.#parts.tree.move(source, dest)
    // the tree leaves the source where the directories of both have the same name
    if (await this.#isThere(source, signal)) await this.#parts.tree.remove(source, { recursive: true })
    const [node, over] = [this.#nodes.at(parent, from), this.#nodes.at(target, to)]
    if (over !== undefined) this.#nodes.remove(over)
    if (node !== undefined) this.#nodes.move(node, target, to)
  }

  async #isThere(path: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#parts.tree.stat(path, { signal })
      return true
    } catch (error) {
      if (hasCode(error, 'E_MFS_MISSING')) return false
      throw error
    }
  }

  /** Whether there is no entry below a path that is to be removed. */
  async #canGo(path: string, signal: AbortSignal): Promise<boolean> {
    if ((await this.#parts.tree.stat(path, { signal })).type === 'file') return true
    for await (const _ of this.#parts.tree.list(path, { signal })) return false
    return true
  }

  #below(parent: TreeNode, name: string): string | undefined {
    const path = this.#nodes.pathOf(parent)
    return path && join(path, name)
  }
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

function join(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`
}

async function* empty(): AsyncGenerator<Uint8Array> {}

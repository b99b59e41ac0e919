import { constants } from 'node:os'
import type { Mfs } from '../../../../core/index.ts'
import { Handles } from '../handles.ts'
import { Listing, listed } from '../listing.ts'
import {
  type Attributes,
  decodeName,
  decodeNewSize,
  decodeRead,
  decodeWrite,
  encodeAttributes,
  encodeEntry,
  encodeStatfs,
  encodeWritten,
  Op,
  type Request
} from '../protocol.ts'
import type { FileSystem } from '../session.ts'
import { numberOf } from './errors.ts'
import type { TreeFile, Waiting } from './file.ts'
import { type TreeNode, TreeNodes } from './nodes.ts'
import { OpenFiles } from './open-files.ts'
import { hasNothingBelow, isThere, join } from './paths.ts'
import { Renames } from './rename.ts'

const { errno } = constants

/** Seconds for which the kernel may keep what it was told: others change the tree as well. */
const VALIDITY = 1

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
  readonly #files: OpenFiles
  readonly #renames: Renames

  constructor(parts: Parts) {
    this.#parts = parts
    this.#nodes = new TreeNodes(parts.maxNodes, parts.first ?? 0n)
    this.#handles = new Handles(parts.maxHandles)
    const { tree, waiting } = parts
    const changed = () => parts.changed?.()
    this.#files = new OpenFiles({ tree, waiting, pathOf: node => this.#nodes.pathOf(node), changed })
    this.#renames = new Renames({ tree, nodes: this.#nodes, files: this.#files, changed })
  }

  async handle(request: Request, signal: AbortSignal): Promise<Uint8Array | number> {
    const { op, body } = request
    if (op === Op.READ) return this.#read(body)
    if (op === Op.WRITE) return this.#write(body)
    if (op === Op.READDIR) return listed(this.#handles, body)
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
    if (op === Op.RENAME || op === Op.RENAME2) return this.#renames.run(node, request, signal)
    return errno.ENOSYS
  }

  forget(id: bigint, times: bigint): void {
    this.#nodes.forget(id, times)
  }

  errorOf(error: unknown): number {
    return numberOf(error)
  }

  /** The close of all that is open; what was written becomes part of the tree. @throws AggregateError of what could not */
  close(): Promise<void> {
    return this.#files.close()
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
    if (typeof answer !== 'number') this.#files.use(node)
    return answer
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

  /** Answers `close` and `fsync`, after which what was written survives power loss. A directory has nothing that waits. */
  async #flush(body: Buffer): Promise<Uint8Array> {
    const file = this.#fileOf(body.readBigUInt64LE(0))
    if (file !== undefined) await this.#files.flush(file)
    return NOTHING
  }

  async #release(body: Buffer): Promise<Uint8Array> {
    const open = this.#handles.take(body.readBigUInt64LE(0))
    if (open === undefined || open instanceof Listing) return NOTHING
    if (open.file !== undefined) await this.#files.release(open, open.file)
    return NOTHING
  }

  async #change(node: TreeNode, path: string, size: bigint | undefined, signal: AbortSignal): Promise<Uint8Array | number> {
    if (size !== undefined) {
      if (node.type === 'directory') return errno.EISDIR
      const file = this.#files.use(node)
      try {
        await file.resize(size)
      } finally {
        await this.#files.release(node, file)
      }
    }
    return encodeAttributes(await this.#attributes(node, path, signal), VALIDITY)
  }

  async #create(parent: TreeNode, above: string, name: string | undefined, signal: AbortSignal): Promise<Uint8Array | number> {
    if (name === undefined) return errno.EILSEQ
    const path = join(above, name)
    if (await isThere(this.#parts.tree, path, signal)) return errno.EEXIST
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
    if (!(await hasNothingBelow(this.#parts.tree, path, signal))) return errno.ENOTEMPTY
    await this.#parts.tree.remove(path, { recursive: true, signal })
    this.#parts.changed?.()
    const node = this.#nodes.at(parent, name)
    if (node !== undefined) this.#nodes.remove(node)
    return NOTHING
  }

  #below(parent: TreeNode, name: string): string | undefined {
    const path = this.#nodes.pathOf(parent)
    return path && join(path, name)
  }
}

async function* empty(): AsyncGenerator<Uint8Array> {}

import { constants } from 'node:os'
import { CID, hasCode, type PathResolver, type UnixFs } from '../../../core/index.ts'
import { Handles } from './handles.ts'
import { Listing, listed } from './listing.ts'
import { type Attributes, decodeName, decodeRead, encodeAttributes, encodeEntry, encodeStatfs, Op, type Request } from './protocol.ts'
import { Reader } from './reader.ts'
import type { FileSystem } from './session.ts'
import { ROOT } from './tree/tree.ts'

const { errno } = constants

/** Seconds for which the kernel may keep what it was told: what a CID leads to stays, a name may lead elsewhere soon. */
const VALIDITY = { ipfs: 3600, ipns: 1 } as const

/** Requests that would change something. */
const CHANGES: ReadonlySet<number> = new Set([
  Op.SETATTR,
  Op.MKNOD,
  Op.MKDIR,
  Op.UNLINK,
  Op.RMDIR,
  Op.RENAME,
  Op.WRITE,
  Op.CREATE,
  Op.RENAME2
])

interface Node extends Attributes {
  readonly cid: CID
  readonly key: string
  readonly path: string
  readonly target?: string | undefined
  /** How many times the kernel looked it up and did not forget it. */
  lookups: bigint
}

interface Parts {
  readonly namespace: 'ipfs' | 'ipns'
  readonly paths: PathResolver
  readonly unixfs: UnixFs
  /** Nodes that the kernel may hold at a time. */
  readonly maxNodes: number
  /** Files and directories that may be open at a time. */
  readonly maxHandles: number
  /** Entries of a directory that may be listed. */
  readonly maxEntries: number
}

/** The content below `/ipfs` or `/ipns`, to be read. Its root cannot be listed: it has no end. */
export class ContentFiles implements FileSystem {
  readonly #parts: Parts
  readonly #nodes = new Map<bigint, Node>()
  readonly #ids = new Map<string, bigint>()
  readonly #handles: Handles<Reader | Listing>
  #next = 2n

  constructor(parts: Parts) {
    this.#parts = parts
    this.#handles = new Handles(parts.maxHandles)
  }

  async handle({ op, node, body }: Request, signal: AbortSignal): Promise<Uint8Array | number> {
    const validity = VALIDITY[this.#parts.namespace]
    if (op === Op.LOOKUP) return this.#lookUp(node, body, signal)
    if (op === Op.GETATTR) return this.#with(node, of => encodeAttributes(of, validity))
    if (op === Op.READLINK) return this.#with(node, ({ target }) => (target === undefined ? errno.EINVAL : Buffer.from(target)))
    if (op === Op.OPEN) return this.#open(node, body)
    if (op === Op.OPENDIR) return this.#openDirectory(node, signal)
    if (op === Op.READ) return this.#read(body)
    if (op === Op.READDIR) return listed(this.#handles, body)
    if (op === Op.RELEASE || op === Op.RELEASEDIR) return this.#release(body)
    if (op === Op.STATFS) return encodeStatfs()
    if (CHANGES.has(op)) return errno.EROFS
    return op === Op.FLUSH ? new Uint8Array(0) : errno.ENOSYS
  }

  forget(id: bigint, times: bigint): void {
    const node = this.#nodes.get(id)
    if (node === undefined) return
    node.lookups -= times
    if (node.lookups > 0n) return
    this.#nodes.delete(id)
    if (this.#ids.get(node.key) === id) this.#ids.delete(node.key)
  }

  errorOf(error: unknown): number {
    return hasCode(error, 'E_LINK_MISSING') || hasCode(error, 'E_PATH_INVALID') ? errno.ENOENT : errno.EIO
  }

  #with(id: bigint, answer: (node: Attributes & { target?: string | undefined }) => Uint8Array | number): Uint8Array | number {
    const node = id === ROOT.id ? ROOT : this.#nodes.get(id)
    return node === undefined ? errno.ENOENT : answer(node)
  }

  async #lookUp(parent: bigint, body: Buffer, signal: AbortSignal): Promise<Uint8Array | number> {
    const name = decodeName(body)
    const above = parent === ROOT.id ? `/${this.#parts.namespace}` : this.#nodes.get(parent)?.path
    if (name === undefined || above === undefined) return errno.ENOENT
    // programs look for files such as .Trash in every root
    if (parent === ROOT.id && this.#parts.namespace === 'ipfs' && !isCid(name)) return errno.ENOENT
    const path = `${above}/${name}`
    const { cid, remainder } = await this.#parts.paths.resolve(path, { signal })
    if (remainder !== '') return errno.ENOENT
    const { type, size, target } = await this.#parts.unixfs.stat(cid, { signal })
    const key = `${parent}/${cid}/${name}`
    const known = this.#nodes.get(this.#ids.get(key) ?? 0n)
    if (known === undefined && this.#nodes.size >= this.#parts.maxNodes) return errno.ENFILE
    const node = known ?? { id: this.#next++, type, size, target, cid, key, path, lookups: 0n }
    node.lookups++
    this.#nodes.set(node.id, node)
    this.#ids.set(key, node.id)
    return encodeEntry(node, VALIDITY[this.#parts.namespace])
  }

  async #open(id: bigint, body: Buffer): Promise<Uint8Array | number> {
    const node = this.#nodes.get(id)
    if (node === undefined) return errno.ENOENT
    if ((body.readUInt32LE(0) & 3) !== READ_ONLY) return errno.EROFS
    // who opened a file may read it for as long as it is open: no signal of this request
    const file = await this.#parts.unixfs.open(node.cid)
    return file.type === 'directory' ? errno.EISDIR : this.#handles.add(new Reader(file))
  }

  async #openDirectory(id: bigint, signal: AbortSignal): Promise<Uint8Array | number> {
    if (id === ROOT.id) return errno.EPERM
    const node = this.#nodes.get(id)
    if (node === undefined) return errno.ENOENT
    const listing = new Listing()
    for await (const { name } of this.#parts.unixfs.list(node.cid, { signal })) {
      if (listing.length >= this.#parts.maxEntries) return errno.EOVERFLOW
      listing.add(name)
    }
    return this.#handles.add(listing)
  }

  async #read(body: Buffer): Promise<Uint8Array | number> {
    const { handle, offset, size } = decodeRead(body)
    const reader = this.#handles.get(handle)
    return reader instanceof Reader ? reader.read(offset, size) : errno.EBADF
  }

  async #release(body: Buffer): Promise<Uint8Array> {
    const handle = this.#handles.take(body.readBigUInt64LE(0))
    if (handle instanceof Reader) await handle.close()
    return new Uint8Array(0)
  }
}

/** The two bits of the flags of `open` that say how, where it is to be read alone. */
const READ_ONLY = 0

function isCid(text: string): boolean {
  try {
    return CID.parse(text) !== undefined
  } catch {
    return false
  }
}

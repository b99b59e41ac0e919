import { constants } from 'node:os'
import { CID, hasCode, type PathResolver, type UnixFs } from '../../../core/index.ts'
import {
  type Attributes,
  decodeName,
  decodeRead,
  encodeAttributes,
  encodeDirent,
  encodeEntry,
  encodeOpen,
  encodeStatfs,
  Op,
  type Request
} from './protocol.ts'
import { Reader } from './reader.ts'
import type { FileSystem } from './session.ts'

const { errno } = constants

const ROOT: Attributes = { id: 1n, type: 'directory', size: 0n }

/** Seconds for which the kernel may keep what it was told: what a CID leads to stays, a name may lead elsewhere soon. */
const VALIDITY = { ipfs: 3600, ipns: 1 } as const

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

/** What `/ipfs` or `/ipns` leads to, to be read. Its root cannot be listed: it has no end. */
export class ContentFiles implements FileSystem {
  readonly #parts: Parts
  readonly #nodes = new Map<bigint, Node>()
  readonly #ids = new Map<string, bigint>()
  readonly #handles = new Map<bigint, Reader | readonly Uint8Array[]>()
  #next = 2n

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async handle({ op, node, body }: Request, signal: AbortSignal): Promise<Uint8Array | number> {
    const validity = VALIDITY[this.#parts.namespace]
    if (op === Op.LOOKUP) return this.#lookUp(node, body, signal)
    if (op === Op.GETATTR) return this.#with(node, of => encodeAttributes(of, validity))
    if (op === Op.READLINK) return this.#with(node, ({ target }) => (target === undefined ? errno.EINVAL : Buffer.from(target)))
    if (op === Op.OPEN) return this.#open(node, body)
    if (op === Op.OPENDIR) return this.#openDirectory(node, signal)
    if (op === Op.READ) return this.#read(body)
    if (op === Op.READDIR) return this.#list(body)
    if (op === Op.RELEASE || op === Op.RELEASEDIR) return this.#release(body)
    if (op === Op.STATFS) return encodeStatfs()
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
    return file.type === 'directory' ? errno.EISDIR : this.#held(new Reader(file))
  }

  async #openDirectory(id: bigint, signal: AbortSignal): Promise<Uint8Array | number> {
    if (id === ROOT.id) return errno.EPERM
    const node = this.#nodes.get(id)
    if (node === undefined) return errno.ENOENT
    const entries = [encodeDirent(Buffer.from('.'), 'directory', 1), encodeDirent(Buffer.from('..'), 'directory', 2)]
    for await (const { name } of this.#parts.unixfs.list(node.cid, { signal })) {
      if (entries.length >= this.#parts.maxEntries) return errno.EOVERFLOW
      const bytes = Buffer.from(name)
      if (canBeShown(bytes)) entries.push(encodeDirent(bytes, 'unknown', entries.length + 1))
    }
    return this.#held(entries)
  }

  #held(handle: Reader | readonly Uint8Array[]): Uint8Array | number {
    if (this.#handles.size >= this.#parts.maxHandles) return errno.ENFILE
    const number = this.#next++
    this.#handles.set(number, handle)
    return encodeOpen(number)
  }

  async #read(body: Buffer): Promise<Uint8Array | number> {
    const { handle, offset, size } = decodeRead(body)
    const reader = this.#handles.get(handle)
    return reader instanceof Reader ? reader.read(offset, size) : errno.EBADF
  }

  #list(body: Buffer): Uint8Array | number {
    const { handle, offset, size } = decodeRead(body)
    const entries = this.#handles.get(handle)
    if (entries === undefined || entries instanceof Reader) return errno.EBADF
    const out: Uint8Array[] = []
    let length = 0
    for (const entry of entries.slice(Number(offset), Number(offset) + 4096)) {
      length += entry.length
      if (length > size) break
      out.push(entry)
    }
    return Buffer.concat(out)
  }

  async #release(body: Buffer): Promise<Uint8Array> {
    const number = body.readBigUInt64LE(0)
    const handle = this.#handles.get(number)
    this.#handles.delete(number)
    if (handle instanceof Reader) await handle.close()
    return new Uint8Array(0)
  }
}

/** The two bits of the flags of `open` that say how, where it is to be read alone. */
const READ_ONLY = 0

/** Whether the kernel takes a name in a listing: one that it does not take would fail the listing as a whole. */
function canBeShown(name: Buffer): boolean {
  return (
    name.length > 0 &&
    name.length <= 255 &&
    !name.includes(0) &&
    !name.includes('/') &&
    !name.equals(Buffer.from('.')) &&
    !name.equals(Buffer.from('..'))
  )
}

function isCid(text: string): boolean {
  try {
    return CID.parse(text) !== undefined
  } catch {
    return false
  }
}

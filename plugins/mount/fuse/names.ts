import { constants } from 'node:os'
import { Handles } from './handles.ts'
import { Listing, listed } from './listing.ts'
import { type Attributes, decodeName, encodeAttributes, encodeEntry, Op, type Request } from './protocol.ts'
import type { FileSystem } from './session.ts'
import { ROOT, type TreeFiles } from './tree/tree.ts'

const { errno } = constants

/** The numbers of a tree's nodes begin here, times its place; below are those of the other names, at {@link LINKS} those of the links. */
const SPAN = 1n << 48n
const LINKS = 1n << 62n

/** Seconds for which the kernel may keep which names are this node's. */
const VALIDITY = 1

/** A folder of `/ipns` that can be written. */
export interface KeyFolder {
  /** `k51…` */
  readonly name: string
  /** The folder's name: `local`, or that of its key. */
  readonly label: string
}

interface Parts {
  /** All other names, to be read. */
  readonly others: FileSystem
  readonly folders: readonly KeyFolder[]
  /** The files of such a folder. @param first - where the numbers of its nodes begin */
  files(folder: KeyFolder, first: bigint): Promise<TreeFiles>
  readonly maxHandles: number
}

/** `/ipns`: the names of this node, to be written, links to them by the names of their keys, and all others. */
export class NamesFiles implements FileSystem {
  readonly #parts: Parts
  readonly #opened = new Map<number, Promise<TreeFiles>>()
  readonly #files = new Map<number, TreeFiles>()
  readonly #handles: Handles<Listing>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#handles = new Handles(parts.maxHandles)
  }

  async handle(request: Request, signal: AbortSignal): Promise<Uint8Array | number> {
    const { node, op, body } = request
    if (node >= LINKS) return this.#link(Number(node - LINKS), op)
    if (node >= SPAN) return (await this.#tree(placeOf(node)))?.handle(request, signal) ?? errno.ENOENT
    if (node === ROOT.id) {
      if (op === Op.LOOKUP) return (await this.#lookUp(decodeName(body))) ?? this.#parts.others.handle(request, signal)
      if (op === Op.OPENDIR) return this.#handles.add(this.#listing())
      if (op === Op.READDIR) return listed(this.#handles, body)
      if (op === Op.RELEASEDIR) {
        this.#handles.take(body.readBigUInt64LE(0))
        return new Uint8Array(0)
      }
    }
    return this.#parts.others.handle(request, signal)
  }

  forget(node: bigint, times: bigint): void {
    if (node >= LINKS) return
    if (node >= SPAN) this.#files.get(placeOf(node))?.forget(node, times)
    else this.#parts.others.forget(node, times)
  }

  errorOf(error: unknown, request: Request): number {
    const files = request.node < SPAN ? this.#parts.others : this.#files.get(placeOf(request.node))
    return files?.errorOf(error, request) ?? errno.EIO
  }

  async close(): Promise<void> {
    for (const files of this.#files.values()) await files.close()
  }

  /** @returns undefined for what is no name of this node */
  async #lookUp(name: string | undefined): Promise<Uint8Array | undefined> {
    const { folders } = this.#parts
    const link = folders.findIndex(({ label }) => label === name)
    if (link >= 0) return encodeEntry(this.#linkOf(link), VALIDITY)
    const place = folders.findIndex(folder => folder.name === name)
    if (place < 0) return undefined
    await this.#tree(place)
    return encodeEntry({ ...ROOT, id: firstOf(place) + ROOT.id, isWritable: true }, VALIDITY)
  }

  #listing(): Listing {
    const listing = new Listing()
    for (const { label } of this.#parts.folders) listing.add(label, 'symlink')
    return listing
  }

  #link(index: number, op: number): Uint8Array | number {
    const folder = this.#parts.folders[index]
    if (folder === undefined) return errno.ENOENT
    if (op === Op.GETATTR) return encodeAttributes(this.#linkOf(index), VALIDITY)
    return op === Op.READLINK ? Buffer.from(folder.name) : errno.EROFS
  }

  #linkOf(index: number): Attributes {
    return { id: LINKS + BigInt(index), type: 'symlink', size: BigInt(this.#parts.folders[index]!.name.length) }
  }

  #tree(place: number): Promise<TreeFiles> | undefined {
    const folder = this.#parts.folders[place]
    if (folder === undefined) return undefined
    let opened = this.#opened.get(place)
    if (opened === undefined) {
      opened = this.#parts.files(folder, firstOf(place))
      this.#opened.set(place, opened)
      opened.then(
        files => this.#files.set(place, files),
        // what the name leads to may be found later
        () => this.#opened.delete(place)
      )
    }
    return opened
  }
}

function firstOf(place: number): bigint {
  return BigInt(place + 1) * SPAN
}

function placeOf(node: bigint): number {
  return Number(node / SPAN) - 1
}

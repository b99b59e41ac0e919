import { SHA2_256 } from '../../core/cid/codes.ts'
import { PREFIX_V0, type ProtoLink, type StoredNode, type StoreParts, storeProtoNode } from '../../core/dag/proto-node.ts'
import type { Blocks } from '../../core/index.ts'
import { membersOf } from '../../core/tar/reader.ts'
import { FileImporter } from '../../core/unixfs/import/files.ts'
import { olderErrors } from './errors.ts'

/** The data of the object that an archive becomes (go-ipfs 0.4.23, tar/format.go). */
export const TAR_ROOT: Buffer = Buffer.from('ipfs/tar')

/** The link from an entry to the bytes of its file. */
export const TAR_DATA = 'data'

/** How the files of archives are made. */
const FILES = { cidVersion: 0, hash: SHA2_256, chunker: 'rabin-262144', layout: 'balanced', rawLeaves: false } as const

/** Names in a path of an entry at most. */
export const MOST_NAMES = 1024

/** An entry of the archive, or a folder that only the paths of others name. */
interface ArchiveEntry {
  header: Uint8Array
  file: StoredNode | undefined
  readonly below: Map<string, ArchiveEntry>
}

const entry = (header: Uint8Array = new Uint8Array(0), file?: StoredNode): ArchiveEntry => ({ header, file, below: new Map() })

/** Makes objects of an archive while it streams in: files at once, the tree of their headers at the end. */
export class TarImport {
  readonly #parts: StoreParts
  readonly #signal: AbortSignal
  readonly #most: number
  readonly #files: FileImporter
  readonly #root = entry(TAR_ROOT)
  #entries = 0

  constructor(parts: StoreParts & { readonly blocks: Pick<Blocks, 'put'> }, signal: AbortSignal, most: number) {
    this.#parts = parts
    this.#signal = signal
    this.#most = most
    this.#files = new FileImporter(parts.blocks, { ...FILES, signal })
  }

  /** @throws E_TAR, E_TAR_ENTRIES, E_TAR_DEPTH, and what the source and the store throw */
  async run(archive: AsyncIterable<Uint8Array>): Promise<StoredNode> {
    for await (const { path, header, size, bytes } of membersOf(archive)) {
      if (++this.#entries > this.#most) throw olderErrors.E_TAR_ENTRIES(this.#most)
      this.#place(path, entry(header, size > 0 ? await this.#file(bytes()) : undefined))
    }
    await this.#files.settled()
    return this.#store(this.#root)
  }

  async #file(bytes: AsyncIterable<Uint8Array>): Promise<StoredNode> {
    const { cid, size } = await this.#files.add(bytes)
    return { cid, size: BigInt(size) }
  }

  #place(path: string, made: ArchiveEntry): void {
    const names = path.replace(/^\/+/, '').split('/')
    if (names.length > MOST_NAMES) throw olderErrors.E_TAR_DEPTH(MOST_NAMES)
    const last = names.pop()!
    let folder = this.#root
    for (const name of names) {
      let next = folder.below.get(name)
      if (next === undefined) {
        if (++this.#entries > this.#most) throw olderErrors.E_TAR_ENTRIES(this.#most)
        next = entry()
        folder.below.set(name, next)
      }
      folder = next
    }
    folder.below.set(last, made)
  }

  async #store({ header, file, below }: ArchiveEntry): Promise<StoredNode> {
    const links: ProtoLink[] = file === undefined ? [] : [{ name: TAR_DATA, ...file }]
    for (const [name, inner] of below) links.push({ name: `-${name}`, ...(await this.#store(inner)) })
    return storeProtoNode({ links, data: header, prefix: PREFIX_V0 }, this.#parts, { signal: this.#signal })
  }
}

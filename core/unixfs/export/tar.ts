import type { CID } from 'multiformats/cid'
import { copyOfCid } from '../../cid/parse.ts'
import { TreeWalk } from '../../dag/walk/tree-walk.ts'
import { cleanPath } from '../../go/path.ts'
import type { BlockOptions } from '../../services/storage/blocks.ts'
import { unixfsErrors } from './errors.ts'
import { FileReader, wholeContent } from './file.ts'
import {
  type ArchiveDefaults,
  type Codecs,
  decodeBlock,
  type LoadedBlock,
  LoadedBranch,
  openLoaded,
  type Sources,
  type UnixFsNode
} from './node.ts'
import { padding, TAR_BLOCK, TAR_MODES, tarHeader } from './tar-header.ts'
import { PlacedShard } from './trie.ts'

/** The end of an archive, and what fills up blocks. Never written to. */
const ZEROS = Buffer.alloc(2 * TAR_BLOCK)

/** Longest path of an entry, in characters: Go's reader of archives takes no longer header for one. */
export const MOST_PATH = 1 << 20

/** Bytes that are sent at a time, unless a file's own pieces are larger. */
const GATHERED = 64 << 10
const LARGE = 16 << 10

/** Made with the first: few directories have any. */
interface Symlinks {
  names?: Set<string>
}

/** A directory, or a shard of one, whose entries are archived: each of its links is loaded. */
class Folder extends LoadedBranch {
  readonly path: string
  /** The names of the directory's symlinks that were archived, whichever shard has them: nothing may go through them. */
  readonly symlinks: Symlinks
  /** The shard, where it is one. */
  readonly shard: PlacedShard | undefined

  constructor(loaded: LoadedBlock, codecs: Codecs, shard: PlacedShard | undefined, path: string, symlinks: Symlinks = {}) {
    super(loaded, codecs, path.length + (shard?.held ?? 0))
    this.shard = shard
    this.path = path
    this.symlinks = symlinks
  }

  load(index: number): CID {
    return this.node.cid(index)
  }
}

/**
 * A tar archive of a file, symlink or directory, its root entry called `name`. Directories come before their entries, entries in stored
 * order; it ends with two zero blocks. (Kubo 0.28, boxo/files; Go's archive/tar)
 *
 * @throws E_TAR_OUTSIDE, E_TAR_NAME, E_TAR_TWICE for an entry that could lead out of the root, and what reading throws
 */
export function tarOf(root: UnixFsNode, name: string, sources: Sources, options?: BlockOptions): AsyncGenerator<Uint8Array> {
  return new Archiving(root, name, sources, options).bytes()
}

/** The content of an entry: at hand where it is small, undefined where it has none. */
type Content = Uint8Array | AsyncIterable<Uint8Array> | undefined

/** The making of an archive. What runs for as long as somebody reads, {@link bytes}, has no block of its own: blocks are in `#enter` and `#next` alone. */
class Archiving {
  readonly #name: string
  readonly #sources: Sources
  readonly #options: BlockOptions | undefined
  readonly #walk: TreeWalk<Folder>
  readonly #archive: Archive
  readonly #cid: CID
  #root: UnixFsNode | undefined

  constructor(root: UnixFsNode, name: string, sources: Sources, options: BlockOptions | undefined) {
    this.#name = name
    this.#sources = sources
    this.#options = options
    this.#walk = new TreeWalk<Folder>(sources.blocks, options, sources.limits)
    this.#archive = new Archive(name, sources.archive)
    this.#cid = copyOfCid(root.cid)
    this.#root = root
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    const [walk, archive] = [this.#walk, this.#archive]
    try {
      await walk.hold(this.#cid)
      yield* written(archive, this.#first())
      while (!walk.done) {
        const next = this.#next()
        const content = next instanceof Promise ? await next : next
        if (content === WAITS) await walk.wait()
        else if (content !== SHARD) yield* written(archive, content)
      }
      archive.end()
      yield* archive.remaining()
    } finally {
      walk.close()
    }
  }

  #first(): Content {
    const root = this.#root!
    this.#root = undefined
    return this.#enter(root, this.#name)
  }

  #next(): Step | Promise<Step> {
    const child = this.#walk.take()
    if (child === undefined) return WAITS
    const { branch, index } = child
    const loaded = decodeBlock(child.cid!, child.loaded!, this.#sources.codecs)
    const link = branch.node.name(index)
    if (branch.shard?.leadsDeeper(index, link)) {
      this.#walk.enter(new Folder(loaded, this.#sources.codecs, branch.shard.below(index, loaded), branch.path, branch.symlinks))
      return SHARD
    }
    const entry = fileName(branch.shard === undefined ? link : branch.shard.entry(index, link))
    if (branch.symlinks.names?.has(entry)) throw unixfsErrors.E_TAR_TWICE(entry)
    const path = `${branch.path}/${entry}`
    const enter = (node: UnixFsNode) => {
      if (node.type === 'symlink') branch.symlinks.names = (branch.symlinks.names ?? new Set()).add(entry)
      return this.#enter(node, path)
    }
    const opened = openLoaded(loaded, this.#sources, this.#options)
    return opened instanceof Promise ? opened.then(enter) : enter(opened)
  }

  /** Writes the header of an entry; what is in it comes next. */
  #enter(node: UnixFsNode, path: string): Content {
    this.#archive.header(node, path)
    if (node.type === 'directory')
      this.#walk.enter(new Folder(node.root, this.#sources.codecs, node.shard && new PlacedShard(node.shard, node.cid), path))
    if (node.type !== 'file') return undefined
    const data = wholeContent(node)
    return data !== undefined && data.length < LARGE ? data : new FileReader(node, this.#sources, this.#options).chunks()
  }
}

/** The mark for content that is not at hand, and for a shard, which is no entry of its own. */
const WAITS = Symbol('waits')
const SHARD = Symbol('shard')
type Step = Content | typeof WAITS | typeof SHARD

async function* written(archive: Archive, content: Content): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) yield* archive.content(content)
  else if (content !== undefined) for await (const piece of content) yield* archive.content(piece)
  yield* archive.finishEntry()
}

/**
 * The name of an entry as that of a file. What has a slash once it is cleaned could stand below a symlink of the folder, and lead out of it for who
 * unpacks the archive.
 *
 * @throws E_TAR_OUTSIDE, E_TAR_NAME
 */
function fileName(link: string): string {
  if (link !== '' && link !== '.' && link !== '..' && !link.includes('/')) return link
  const name = cleanPath(`./${link}`)
  if (name === '..' || name.startsWith('../')) throw unixfsErrors.E_TAR_OUTSIDE()
  if (name === '.' || name.includes('/')) throw unixfsErrors.E_TAR_NAME(link)
  return name
}

const NO_TIME = { seconds: 0n, nanoseconds: 0 }
const NOTHING: readonly Uint8Array[] = []

/** Writes entries one after the other, putting what is small together. */
class Archive {
  readonly #base: string
  readonly #now = { seconds: BigInt(Math.round(Date.now() / 1000)), nanoseconds: 0 }
  readonly #defaults: ArchiveDefaults
  #small: Uint8Array[] = []
  #waiting = 0
  #size = 0n

  constructor(base: string, defaults: ArchiveDefaults = {}) {
    this.#base = base
    this.#defaults = defaults
  }

  header(node: UnixFsNode, path: string): void {
    if (!path.startsWith(this.#base) || path.startsWith('..')) throw unixfsErrors.E_TAR_OUTSIDE()
    if (path.length > MOST_PATH) throw unixfsErrors.E_TAR_PATH(MOST_PATH)
    this.#size = node.type === 'file' ? node.size : 0n
    const isLink = node.type === 'symlink'
    const target = isLink ? node.target : undefined
    const { type, mode, mtime } = node
    const fallback = isLink && !this.#defaults.timeOfLinks ? NO_TIME : this.#now
    const bits = mode ?? ((type === 'directory' && this.#defaults.directoryMode) || TAR_MODES[type])
    this.#add(tarHeader({ type, path, size: this.#size, target, mode: bits, mtime: mtime ?? fallback }))
  }

  /** Takes a piece of the entry's content; answers what is ready to be sent. */
  content(piece: Uint8Array): readonly Uint8Array[] {
    if (piece.length >= LARGE) return [...this.remaining(), piece]
    this.#add(piece)
    return NOTHING
  }

  /** Ends the entry; answers what is ready to be sent. */
  finishEntry(): readonly Uint8Array[] {
    this.#add(ZEROS.subarray(0, padding(this.#size)))
    return this.#waiting < GATHERED ? NOTHING : this.remaining()
  }

  end(): void {
    this.#add(ZEROS)
  }

  remaining(): readonly Uint8Array[] {
    if (this.#waiting === 0) return NOTHING
    const whole = this.#small.length === 1 ? this.#small[0]! : Buffer.concat(this.#small, this.#waiting)
    this.#small = []
    this.#waiting = 0
    return [whole]
  }

  #add(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    // a part of a large block would keep it
    this.#small.push(bytes.buffer.byteLength > GATHERED ? Uint8Array.from(bytes) : bytes)
    this.#waiting += bytes.length
  }
}

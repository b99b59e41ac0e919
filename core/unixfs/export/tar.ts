import type { CID } from 'multiformats/cid'
import type { NodeLinks } from '../../dag/node-links.ts'
import type { Branch } from '../../dag/walk/branch.ts'
import { TreeWalk } from '../../dag/walk/tree-walk.ts'
import { cleanPath } from '../../go/path.ts'
import type { BlockOptions } from '../../services/storage/blocks.ts'
import { loadShard } from './directory.ts'
import { unixfsErrors } from './errors.ts'
import { FileReader, HOLLOW, wholeContent } from './file.ts'
import { isShardLink, type Shard } from './hamt.ts'
import { type ArchiveDefaults, decodeBlock, type FileNode, type Loaded, openLoaded, type Sources, type UnixFsNode } from './node.ts'
import { padding, TAR_BLOCK, TAR_MODES, tarHeader } from './tar-header.ts'

/** The end of an archive, and what fills up blocks. Never written to. */
const ZEROS = Buffer.alloc(2 * TAR_BLOCK)

/** Longest path of an entry, in characters: Go's reader of archives takes no longer header for one. */
export const MOST_PATH = 1 << 20

/** Bytes that are sent at a time, unless a file's own pieces are larger. */
const GATHERED = 64 << 10
const LARGE = 16 << 10

/** A directory, or a shard of one, whose entries are archived: each of its links is loaded. */
class Folder implements Branch {
  readonly length: number
  readonly held: number
  readonly path: string
  readonly node: NodeLinks
  readonly shard: Shard | undefined

  constructor({ node, bytes }: Loaded, shard: Shard | undefined, path: string) {
    this.node = node
    this.shard = shard
    this.path = path
    this.length = node.length
    this.held = bytes.length + node.held + path.length
  }

  load(index: number): CID {
    return this.node.cid(index)
  }
}

/**
 * A tar archive of a file, symlink or directory, its root entry called `name`. Directories come before their entries, entries in stored
 * order; it ends with two zero blocks. (Kubo 0.28, boxo/files; Go's archive/tar)
 *
 * @throws E_TAR_OUTSIDE for an entry whose name leads out of the root, E_TAR_TOO_LONG and E_TAR_TOO_SHORT for a file whose content has
 * another length than it declares, and what reading throws
 */
export async function* tarOf(root: UnixFsNode, name: string, sources: Sources, options?: BlockOptions): AsyncGenerator<Uint8Array> {
  const walk = new TreeWalk<Folder>(sources.blocks, options, sources.limits)
  const archive = new Archive(name, sources.archive)
  const enter = (node: UnixFsNode, path: string) => {
    if (node.type === 'directory') walk.enter(new Folder(node.root, node.shard, path))
  }
  const most = sources.limits?.hollow ?? HOLLOW
  let hollow = 0
  try {
    await walk.hold(root.cid)
    archive.header(root, name)
    if (root.type === 'file') for await (const piece of contentOf(root, sources, options)) yield* archive.content(piece)
    yield* archive.finishEntry()
    enter(root, name)
    while (!walk.done) {
      const child = walk.take()
      if (child === undefined) {
        await walk.wait()
        continue
      }
      const { branch, index } = child
      const loaded = decodeBlock(child.cid!, child.loaded!, sources.codecs)
      const link = branch.node.name(index)
      if (branch.shard !== undefined && isShardLink(branch.shard, link)) {
        if (++hollow > most) throw unixfsErrors.E_HAMT_HOLLOW(most)
        walk.enter(new Folder(loaded, loadShard(loaded), branch.path))
        continue
      }
      hollow = 0
      const opened = openLoaded(loaded, sources, options)
      const node = opened instanceof Promise ? await opened : opened
      const entry = branch.shard === undefined ? link : link.slice(branch.shard.padding)
      const path = branch.path === name ? cleanPath(`${name}/${entry}`) : pathBelow(branch.path, entry)
      archive.header(node, path)
      if (node.type === 'file') {
        const data = wholeContent(node)
        if (data !== undefined) yield* archive.content(data)
        else for await (const piece of contentOf(node, sources, options)) yield* archive.content(piece)
      }
      yield* archive.finishEntry()
      enter(node, path)
    }
    archive.end()
    yield* archive.rest()
  } finally {
    walk.close()
  }
}

/** The path of an entry in a folder whose path is clean: it is not taken apart again, as folders may be nested deeply. */
function pathBelow(folder: string, name: string): string {
  const path = `${folder}/${name}`
  return name === '' || name.includes('/') || name === '.' || name === '..' ? cleanPath(path) : path
}

function contentOf(node: FileNode, sources: Sources, options?: BlockOptions): AsyncIterable<Uint8Array> {
  return new FileReader(node, sources, options).chunks()
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
  #left = 0n

  constructor(base: string, defaults: ArchiveDefaults = {}) {
    this.#base = base
    this.#defaults = defaults
  }

  header(node: UnixFsNode, path: string): void {
    if (!path.startsWith(this.#base) || path.startsWith('..')) throw unixfsErrors.E_TAR_OUTSIDE()
    if (path.length > MOST_PATH) throw unixfsErrors.E_TAR_PATH(MOST_PATH)
    this.#size = node.type === 'file' ? node.size : 0n
    this.#left = this.#size
    const isLink = node.type === 'symlink'
    const target = isLink ? node.target : undefined
    const { type, mode, mtime } = node
    const fallback = isLink && !this.#defaults.timeOfLinks ? NO_TIME : this.#now
    const bits = mode ?? ((type === 'directory' && this.#defaults.directoryMode) || TAR_MODES[type])
    this.#add(tarHeader({ type, path, size: this.#size, target, mode: bits, mtime: mtime ?? fallback }))
  }

  /** Takes a piece of the entry's content; answers what is ready to be sent. */
  content(piece: Uint8Array): readonly Uint8Array[] {
    this.#left -= BigInt(piece.length)
    if (this.#left < 0n) throw unixfsErrors.E_TAR_TOO_LONG()
    if (piece.length >= LARGE) return [...this.rest(), piece]
    this.#add(piece)
    return NOTHING
  }

  /** Ends the entry; answers what is ready to be sent. */
  finishEntry(): readonly Uint8Array[] {
    if (this.#left > 0n) throw unixfsErrors.E_TAR_TOO_SHORT(this.#left)
    this.#add(ZEROS.subarray(0, padding(this.#size)))
    return this.#waiting < GATHERED ? NOTHING : this.rest()
  }

  end(): void {
    this.#add(ZEROS)
  }

  rest(): readonly Uint8Array[] {
    if (this.#waiting === 0) return NOTHING
    const whole = this.#small.length === 1 ? this.#small[0]! : Buffer.concat(this.#small, this.#waiting)
    this.#small = []
    this.#waiting = 0
    return [whole]
  }

  #add(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#small.push(bytes)
    this.#waiting += bytes.length
  }
}

import { closeSync, constants, createReadStream, type Dirent, openSync, readSync, type Stats, statSync } from 'node:fs'
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, normalize, resolve } from 'node:path'
import { messageOf } from '../../../core/errors.ts'
import { compareUtf8, decodeUtf8 } from '../../../core/go/utf8.ts'
import type { Metadata } from '../../../core/index.ts'
import { storedMode, storedMtime } from '../../../core/unixfs/metadata.ts'
import { cliErrors } from '../errors.ts'
import { fsPath } from '../save/place.ts'
import { type UploadEntry, type UploadSource } from './entry.ts'
import type { Rules } from './rules.ts'

export interface FileOptions {
  /** How messages call the argument. */
  readonly argument: string
  /** Whether the command takes folders at all. */
  readonly folders: boolean
  /** Whether the caller wants them taken. */
  readonly recursive: boolean
  /** Whether a symlink that was named stands for what it points to. Those in folders stay symlinks. */
  readonly dereference: boolean
  /** Whether symlinks in folders stand for what they point to, too. */
  readonly follow?: boolean | undefined
  /** Whether permissions, and times of modification, are told with what is sent. */
  readonly tells?: { readonly mode: boolean; readonly mtime: boolean } | undefined
  /** A name for standard input. */
  readonly stdinName: string
  readonly rules: Rules
  readonly cwd: string
  /** The repo's folder, which is not sent: its configuration holds the private key. */
  readonly repo?: string | undefined
  stdin(): AsyncIterable<Uint8Array>
}

/** Something that was named, known to be there. */
interface Named {
  readonly name: string
  readonly path: string
  readonly kind: UploadEntry['kind'] | 'stdin'
}

interface Walk extends FileOptions {
  readonly reader: FileReader
}

/** Bytes read from a file at a time. */
const CHUNK = 262_144

/** The largest file that is read at once, in bytes. */
const SMALL = 65_536
/** Milliseconds within which a file begins to come from a file system that answers at once. */
const QUICK_MS = 5

/**
 * The files and folders that words name, as the reference sends them (go-ipfs-cmds 0.10, cli/parse.go; boxo 0.19, files): by their last
 * names, sorted; entries of folders sorted too; `-` is standard input. Files are opened when their turn comes.
 *
 * @throws E_FOLDER_REFUSED, E_FOLDER_NOT_RECURSIVE, E_FILE_KIND, E_FILE_UNREADABLE, E_FILES_SAME_NAME, E_STDIN_TWICE; while it is read, E_FOLDER_REPO
 */
export async function filesOf(words: readonly string[], options: FileOptions): Promise<UploadSource> {
  const named: Named[] = []
  const folders = new Map<string, string>()
  for (const word of words) {
    const one = await find(word, options)
    const folder = one.kind === 'stdin' ? undefined : dirname(options.dereference ? one.path : normalize(word))
    const other = folders.get(one.name)
    if (folder !== undefined && other !== undefined && other !== folder) throw cliErrors.E_FILES_SAME_NAME(one.name, folder, other)
    if (folder !== undefined) folders.set(one.name, folder)
    // what is named twice is sent once
    if (other === undefined || folder === undefined) named.push(one)
  }
  if (named.filter(({ kind }) => kind === 'stdin').length > 1) throw cliErrors.E_STDIN_TWICE()
  named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const sizes = new Sizes(named, options)
  return { entries: () => entriesOf(named, { ...options, reader: new FileReader() }), total: () => sizes.total() }
}

async function find(word: string, { argument, folders, recursive, dereference, stdinName, cwd }: FileOptions): Promise<Named> {
  if (word === '-') return { name: stdinName, path: '', kind: 'stdin' }
  const path = await readable(word, async () =>
    dereference ? decodeUtf8(await realpath(fsPath(resolve(cwd, word)), 'buffer')) : resolve(cwd, word)
  )
  const found = await readable(word, () => lstat(fsPath(path)))
  const kind = kindOf(found)
  if (kind === undefined) throw cliErrors.E_FILE_KIND(word)
  if (kind === 'directory' && !folders) throw cliErrors.E_FOLDER_REFUSED(word, argument)
  if (kind === 'directory' && !recursive) throw cliErrors.E_FOLDER_NOT_RECURSIVE(word)
  return { name: basename(path), path, kind }
}

/** Pipes and devices count as files when they are named: a shell hands over what another program prints as such. */
function kindOf(found: Stats): UploadEntry['kind'] | undefined {
  if (found.isDirectory()) return 'directory'
  if (found.isSymbolicLink()) return 'symlink'
  return found.isFile() || found.isFIFO() || found.isCharacterDevice() ? 'file' : undefined
}

async function* entriesOf(named: readonly Named[], options: Walk): AsyncGenerator<UploadEntry> {
  for (const { name, path, kind } of named) {
    if (kind === 'stdin') yield { path: name, kind: 'file', bytes: options.stdin }
    else yield* entry(name, path, kind, '', options)
  }
}

/** @param below - the path from the folder that was named */
async function* entry(path: string, absPath: string, kind: UploadEntry['kind'], below: string, options: Walk): AsyncGenerator<UploadEntry> {
  const metadata = await metadataOf(absPath, kind, options)
  if (kind === 'file') yield { path, kind, absPath, metadata, bytes: () => options.reader.bytes(absPath) }
  else if (kind === 'symlink') yield { path, kind, metadata, bytes: () => linkTarget(absPath) }
  else {
    if (options.repo !== undefined && isSame(absPath, options.repo)) throw cliErrors.E_FOLDER_REPO(absPath)
    yield { path, kind, absPath, metadata, bytes: nothing }
    for (const { name, kind: inner } of await children(absPath, below, options)) {
      yield* entry(`${path}/${name}`, join(absPath, name), inner, below === '' ? name : `${below}/${name}`, options)
    }
  }
}

/** Whether two paths lead to one folder, by whichever links. Asked of each folder, so not in another thread, which takes forty times as long. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map(path => statSync(fsPath(path), { throwIfNoEntry: false }))
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev
}

async function metadataOf(path: string, kind: UploadEntry['kind'], { tells }: FileOptions): Promise<Metadata | undefined> {
  if (!tells?.mode && !tells?.mtime) return undefined
  const { mode, mtimeNs } = await readable(path, () => (kind === 'symlink' ? lstat : stat)(fsPath(path), { bigint: true }))
  return {
    mode: tells.mode && kind !== 'symlink' ? storedMode(Number(mode)) : undefined,
    mtime: tells.mtime ? storedMtime(0n, mtimeNs) : undefined
  }
}

/** The entries of a folder that the rules take, sorted by name. */
async function children(folder: string, below: string, { rules, follow }: FileOptions) {
  const found = await readable(folder, () => entriesIn(folder))
  const taken: Array<{ name: string; kind: UploadEntry['kind'] }> = []
  for (const one of found) {
    const path = join(folder, one.name)
    // a loop of links ends where the system refuses to follow more of them
    const followed = follow && one.isSymbolicLink() ? kindOf(await readable(path, () => stat(fsPath(path)))) : undefined
    const kind = followed ?? (one.isDirectory() ? 'directory' : one.isSymbolicLink() ? 'symlink' : one.isFile() ? 'file' : undefined)
    if (!rules.takes(below === '' ? one.name : `${below}/${one.name}`, one.name, kind === 'directory')) continue
    if (kind === undefined) throw cliErrors.E_FILE_KIND(path)
    taken.push({ name: one.name, kind })
  }
  return taken.sort((a, b) => compareUtf8(a.name, b.name))
}

/** The entries of a folder; bytes in their names that are no UTF-8 as `decodeUtf8` keeps them. */
async function entriesIn(folder: string): Promise<readonly Dirent[]> {
  const found = await readdir(fsPath(folder), { withFileTypes: true })
  if (!found.some(({ name }) => name.includes('\ufffd'))) return found
  const inBytes = await readdir(fsPath(folder), { withFileTypes: true, encoding: 'buffer' })
  return inBytes.map(entry => Object.assign(entry as unknown as Dirent, { name: decodeUtf8(entry.name) }))
}

/**
 * Reads files. Small ones are read at once, as another thread takes five times as long and a stream thirty times (`bench/interop/command-line.ts`);
 * after one that was slow to come, the next does not block: a network or a mount may keep it.
 */
class FileReader {
  #quick = false

  async *bytes(path: string): AsyncGenerator<Uint8Array> {
    const began = performance.now()
    const came = () => (this.#quick = performance.now() - began < QUICK_MS)
    try {
      const small = this.#quick ? readSmall(path) : undefined
      if (small !== undefined) {
        came()
        if (small.length > 0) yield small
        return
      }
      let isFirst = true
      for await (const chunk of createReadStream(fsPath(path), { highWaterMark: CHUNK })) {
        if (isFirst) came()
        isFirst = false
        yield chunk
      }
    } catch (error) {
      throw cliErrors.E_FILE_UNREADABLE(path, messageOf(error))
    }
  }
}

/** The bytes of a small file; undefined for a large one, one that grows, and for what is no file, of which nothing may be taken in vain. */
function readSmall(path: string): Uint8Array | undefined {
  const at = fsPath(path)
  const found = statSync(at)
  if (!found.isFile() || found.size > SMALL) return undefined
  // a pipe that takes the place of the file between the two calls does not keep anybody waiting
  const fd = openSync(at, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const bytes = Buffer.allocUnsafe(found.size + 1)
    let size = 0
    for (let read = -1; read !== 0 && size < bytes.length; size += read) read = readSync(fd, bytes, size, bytes.length - size, null)
    return size < bytes.length ? bytes.subarray(0, size) : undefined
  } finally {
    closeSync(fd)
  }
}

async function* linkTarget(path: string): AsyncGenerator<Uint8Array> {
  yield await readable(path, () => readlink(fsPath(path), 'buffer'))
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function readable<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw cliErrors.E_FILE_UNREADABLE(path, reason(error))
  }
}

function reason(error: unknown): string {
  return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file or directory' : messageOf(error)
}

/** Adds up the sizes of files beside the sending, once somebody asks. */
class Sizes {
  readonly #named: readonly Named[]
  readonly #options: FileOptions
  #started = false
  #bytes: number | undefined

  constructor(named: readonly Named[], options: FileOptions) {
    this.#named = named
    this.#options = options
  }

  total(): number | undefined {
    if (!this.#started) {
      this.#started = true
      // a file that cannot be read is the sender's error to tell
      this.#count().then(
        bytes => (this.#bytes = bytes),
        () => {}
      )
    }
    return this.#bytes
  }

  async #count(): Promise<number | undefined> {
    let bytes = 0
    for (const { path, kind } of this.#named) {
      if (kind === 'stdin') return undefined
      bytes += await this.#sizeOf(path, kind, '')
    }
    return bytes
  }

  async #sizeOf(path: string, kind: UploadEntry['kind'], below: string): Promise<number> {
    if (kind === 'symlink') return 0
    if (kind === 'file') return (await stat(fsPath(path))).size
    let bytes = 0
    for (const child of await children(path, below, this.#options)) {
      bytes += await this.#sizeOf(join(path, child.name), child.kind, below === '' ? child.name : `${below}/${child.name}`)
    }
    return bytes
  }
}

import { mkdir, open, symlink } from 'node:fs/promises'
import { sep } from 'node:path'
import { messageOf } from '../../../core/errors.ts'
import { tarErrors } from '../../../core/tar/errors.ts'
import { type TarMember as AnyMember, membersOf } from '../../../core/tar/reader.ts'
import { cliErrors, reasonOf } from '../errors.ts'
import type { Guard } from './guard.ts'
import { Metadata } from './metadata.ts'
import { destination, fsPath, lie, whole } from './place.ts'

/** An entry of a kind that is stored. */
type TarMember = AnyMember & { readonly type: Exclude<AnyMember['type'], 'other'> }

/**
 * Stores what is in a tar archive of one root (a file, a symlink, or a folder with all in it) at `to`, while it streams in. A file whose
 * target is a folder goes into that. Everything is made in a folder of its own first, where no name of the archive can meet a symlink
 * that leads elsewhere, and is moved when it is whole.
 *
 * @param onBytes - told of the bytes of files
 * @param guard - knows what must not be stored
 * @param keepsMetadata - whether permissions and times of the archive are those of what is stored
 * @throws E_SAVE_NAME for names that would leave the root, E_SAVE_TRUSTED, E_SAVE_EXISTS, E_TAR
 */
export async function unpack(
  archive: AsyncIterable<Uint8Array>,
  to: string,
  onBytes: (bytes: number) => void,
  guard?: Guard,
  keepsMetadata = false
): Promise<void> {
  const members = storable(archive)
  const kept = keepsMetadata ? new Metadata() : undefined
  const { value: root, done } = await members.next()
  if (done) throw tarErrors.E_TAR('there is nothing in it')
  checkRoot(root)
  const there = await lie(to)
  if (root.type === 'directory' && there !== undefined && !there.isDirectory())
    throw cliErrors.E_SAVE_EXISTS(to, 'there is a file of that name')
  const named = root.type !== 'directory' && there?.isDirectory() ? `${to}${sep}${root.path}` : to
  const { path: end, isWritten } = root.type === 'file' ? await destination(named) : { path: named, isWritten: false }
  await guard?.check(end, root.type)
  if (isWritten) {
    await writeFile(end, root.bytes(), onBytes, { flag: 'w' })
    if (!(await members.next()).done) throw tarErrors.E_TAR('there is more in it than one file')
    return
  }
  await whole(end, async temporary => {
    await make(root, temporary, onBytes)
    await kept?.made(root, temporary)
    const tree = new Tree(root, temporary)
    for await (const member of members) {
      const path = await tree.pathOf(member)
      await guard?.check(`${end}${path.slice(temporary.length)}`, member.type)
      await make(member, path, onBytes)
      await kept?.made(member, path)
    }
    await kept?.finish(temporary, end)
    return end
  })
  await kept?.close()
}

/** @throws E_TAR for links to other entries, devices and pipes */
async function* storable(archive: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember> {
  for await (const member of membersOf(archive)) {
    if (member.type === 'other') throw tarErrors.E_TAR(`an entry of kind '${member.flag}'`)
    yield member as TarMember
  }
}

function checkRoot({ path }: TarMember): void {
  if (path.includes('/')) throw cliErrors.E_SAVE_NAME(path, 'the root of an archive has one name')
  checkName(path, path)
}

/** Names that no file system of this machine may be asked to store. */
function checkName(name: string, path: string): void {
  if (name === '' || name === '.' || name === '..') throw cliErrors.E_SAVE_NAME(path, 'it leads out of the target')
  if (name.includes('\0')) throw cliErrors.E_SAVE_NAME(path, 'there is a NUL in it')
  if (sep === '\\' && (/[<>:"\\|?*]/.test(name) || /[. ]$/.test(name) || /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name)))
    throw cliErrors.E_SAVE_NAME(path, 'this system has no such names')
}

/** The folder that an archive is unpacked to. */
class Tree {
  readonly #root: TarMember
  readonly #folder: string
  /** The folder that was last found to be one. */
  #known: string

  constructor(root: TarMember, folder: string) {
    this.#root = root
    this.#folder = folder
    this.#known = folder
  }

  /** Where an entry belongs. @throws E_SAVE_NAME unless all above it are folders of the archive */
  async pathOf({ path }: TarMember): Promise<string> {
    const [first, ...names] = path.split('/')
    if (this.#root.type !== 'directory' || first !== this.#root.path || names.length === 0)
      throw cliErrors.E_SAVE_NAME(path, `it does not lie in '${this.#root.path}'`)
    for (const name of names) checkName(name, path)
    const above = [this.#folder, ...names.slice(0, -1)]
    if (above.join(sep) !== this.#known) {
      for (let end = 2; end <= above.length; end++) {
        const folder = await lie(above.slice(0, end).join(sep))
        if (!folder?.isDirectory()) throw cliErrors.E_SAVE_NAME(path, `'${above.slice(1, end).join('/')}' in the archive is no folder`)
      }
      this.#known = above.join(sep)
    }
    return [...above, names.at(-1)!].join(sep)
  }
}

async function make({ type, path: name, target, bytes }: TarMember, path: string, onBytes: (bytes: number) => void): Promise<void> {
  try {
    if (type === 'directory') await mkdir(fsPath(path))
    else if (type === 'symlink') await symlink(fsPath(target), fsPath(path))
    else await writeFile(path, bytes(), onBytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw cliErrors.E_SAVE_NAME(name, 'the archive has it twice')
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') throw cliErrors.E_SAVE_NAME(name, messageOf(error))
    throw error
  }
}

/**
 * Writes a file, by default a new one.
 *
 * @throws E_SAVE_FAILED where the bytes cannot be stored
 */
export async function writeFile(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
  { mode, flag = 'wx' }: { mode?: number | undefined; flag?: 'w' | 'wx' } = {}
): Promise<void> {
  const failed = (error: unknown) => {
    throw cliErrors.E_SAVE_FAILED(path, reasonOf(error))
  }
  const file = await open(fsPath(path), flag, mode)
  try {
    for await (const piece of bytes) {
      await file.writeFile(piece).catch(failed)
      onBytes(piece.length)
    }
  } finally {
    await file.close().catch(failed)
  }
}

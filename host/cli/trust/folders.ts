import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, realpath, rm, stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { hasCode } from '../../../core/errors.ts'
import { refuseForeign, refuseForeignOpen } from '../../../core/files/foreign.ts'
import { withRegularFile } from '../../../core/files/regular.ts'
import { writeWhole } from '../../../core/files/whole.ts'
import { cliErrors } from '../errors.ts'

/** A folder as it was when it was trusted. */
interface Trusted {
  /** Its path, symlinks followed. */
  readonly folder: string
  /** When it was made, in nanoseconds, where the file system keeps that. */
  readonly made?: string | undefined
}

/** A trusted folder, and whether it is still the one that was trusted. */
export interface Listed {
  readonly folder: string
  readonly state: 'trusted' | 'replaced' | 'gone'
}

/** A file whose name is not that of a record is none. */
const NAME = /^[0-9a-f]{64}$/
/** The name of one that is being written. */
const BESIDE = /^\.[0-9a-f]{12}$/
/** How long a process may take to write one, in milliseconds. */
const WRITTEN_WITHIN = 60_000
/** Most bytes of a record: the longest path, each of its characters escaped, fits. */
const RECORD_MAX = 65_536
/** The number that `statfs` has for Linux' overlay file system. */
const OVERLAY = 0x794c7630

/**
 * Folders whose configuration and plugins the user wants to be loaded. Each is a file named by a hash of its path, so that two processes
 * that add one at the same time take no notice of each other.
 *
 * Trust is in a folder, not in its name: one that was removed and made anew, or that another one was renamed to, is another folder. They
 * are told apart by the time at which they were made, as numbers of inodes are used again at once. Where a file system does not keep that
 * time the name alone counts.
 */
export class TrustedFolders {
  /** The folder with the records. */
  readonly path: string

  /** @param state - the folder for what is remembered, see `stateFolder` */
  constructor(state: string) {
    this.path = join(state, 'trusted')
  }

  /** @throws E_FILE_OWNER, E_FILE_SHARED for a record that others decide over */
  async has(folder: string): Promise<boolean> {
    const real = await realpath(folder).catch(() => undefined)
    if (real === undefined) return false
    const record = await this.#read(nameOf(real))
    return record !== undefined && (await stateOf(record)) === 'trusted'
  }

  /**
   * @returns whether it is new
   * @throws E_TRUST_FOLDER for what is no folder, E_FILE_OWNER and E_FILE_SHARED where others decide over it or over the records
   */
  async add(folder: string): Promise<{ folder: string; isNew: boolean }> {
    const real = await realpath(folder).catch(() => resolve(folder))
    if ((await stat(real).catch(() => undefined))?.isDirectory() !== true) throw cliErrors.E_TRUST_FOLDER(real)
    refuseForeign(real)
    if (await this.has(real)) return { folder: real, isNew: false }
    await mkdir(this.path, { recursive: true, mode: 0o700 })
    refuseForeign(this.path)
    const record: Trusted = { folder: real, made: await birthOf(real) }
    await this.#removeLeft()
    const beside = join(this.path, `.${randomBytes(6).toString('hex')}`)
    await writeWhole(join(this.path, nameOf(real)), `${JSON.stringify(record)}\n`, beside)
    return { folder: real, isNew: true }
  }

  /** Removes files that processes which were killed had begun to write. */
  async #removeLeft(): Promise<void> {
    for (const name of await readdir(this.path)) {
      const path = join(this.path, name)
      const found = BESIDE.test(name) ? await stat(path).catch(() => undefined) : undefined
      if (found?.isFile() && Date.now() - found.mtimeMs > WRITTEN_WITHIN) await rm(path, { force: true })
    }
  }

  /** Takes a folder out, also one that is gone. @returns whether it was there */
  async remove(folder: string): Promise<{ folder: string; was: boolean }> {
    const real = await realpath(folder).catch(() => resolve(folder))
    const name = nameOf(real)
    const was = (await this.#read(name)) !== undefined
    await rm(join(this.path, name), { force: true })
    return { folder: real, was }
  }

  /** Every folder, sorted. */
  async list(): Promise<Listed[]> {
    const names = (await readdir(this.path).catch(() => [])).filter(name => NAME.test(name))
    const records = await Promise.all(names.map(name => this.#read(name)))
    const listed = records.filter(record => record !== undefined).map(async record => ({ ...record, state: await stateOf(record) }))
    return (await Promise.all(listed)).sort((a, b) => (a.folder < b.folder ? -1 : 1)).map(({ folder, state }) => ({ folder, state }))
  }

  /** @returns undefined where there is none, or none that was written here */
  async #read(name: string): Promise<Trusted | undefined> {
    const path = join(this.path, name)
    try {
      return await withRegularFile(path, async ({ found, first }) => {
        refuseForeign(path)
        refuseForeignOpen(path, found)
        const record = parsed((await first(RECORD_MAX)).toString())
        return record !== undefined && nameOf(record.folder) === name ? record : undefined
      })
    } catch (error) {
      if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined
      throw error
    }
  }
}

function nameOf(folder: string): string {
  return createHash('sha256').update(folder).digest('hex')
}

function parsed(text: string): Trusted | undefined {
  try {
    const { folder, made } = JSON.parse(text) as { folder?: unknown; made?: unknown }
    return typeof folder === 'string' ? { folder, made: typeof made === 'string' ? made : undefined } : undefined
  } catch {
    return undefined
  }
}

async function stateOf({ folder, made }: Trusted): Promise<Listed['state']> {
  if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true) return 'gone'
  return made === undefined || made === (await birthOf(folder)) ? 'trusted' : 'replaced'
}

/** When a folder was made. An overlay, as containers have, tells another time once something was written in the folder. */
async function birthOf(folder: string): Promise<string | undefined> {
  const { birthtimeNs } = await stat(folder, { bigint: true })
  if (birthtimeNs <= 0n || (await statfs(folder)).type === OVERLAY) return undefined
  return String(birthtimeNs)
}

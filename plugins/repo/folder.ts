import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { readFile, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { octal } from '../../core/files/errors.ts'
import { closeToOthers, hideFromOthers } from '../../core/files/mend.ts'
import { decodeUtf8 } from '../../core/go/utf8.ts'
import { hasCode, type Logger, type StorageLayers } from '../../core/index.ts'
import { isInitialised, REPO_VERSION, remainsOf, repoFiles } from '../../core/repo/layout.ts'
import { type NotedLayers, readLayouts, specOf } from '../../core/repo/layouts.ts'
import { folderSize } from '../../core/repo/size.ts'
import { refused, repoErrors } from './errors.ts'
import { writeWhole, writeWholeThrough } from './files.ts'
import { acquireLock, type Lock, lockToRead } from './lock.ts'
import { Making } from './making.ts'

/** Why a folder cannot be written that may well be read. */
const UNWRITABLE = ['EROFS', 'ENOSPC', 'EDQUOT']
const LISTENERS = ['api', 'gateway'] as const

export type Listener = (typeof LISTENERS)[number]

interface OpenOptions {
  readonly create: boolean
  /** Whether it is enough that it can be read. */
  readonly readsOnly?: boolean
  readonly layers: StorageLayers
  readonly log: Pick<Logger, 'error'> | undefined
}

/** Why a folder holds no repo. */
async function absent(path: string): Promise<Error> {
  const remains = await remainsOf(path)
  if (remains === 'unreadable') return repoErrors.E_REPO_PERMISSION('read', path)
  return remains === 'no-config' ? repoErrors.E_REPO_CONFIG_ABSENT(join(path, repoFiles.config)) : repoErrors.E_REPO_ABSENT(path)
}

/** The files of a repo's folder, while this process holds its lock. */
export class Folder {
  readonly path: string
  readonly configFile: string
  readonly #lock: Lock
  readonly #announced = new Set<string>()
  /** Until the folder holds a repo. */
  #making: Making | undefined

  private constructor(path: string, lock: Lock, making: Making | undefined) {
    this.path = path
    this.configFile = join(path, repoFiles.config)
    this.#lock = lock
    this.#making = making
  }

  /**
   * Takes the folder over; `create` makes it where it is missing, and leaves it as it was found unless it is initialised. Others who could write it, or its configuration,
   * or read that, can do so no longer, and the log tells of it.
   *
   * @throws E_REPO_ABSENT, E_REPO_NOT_FOLDER, E_REPO_PERMISSION, E_REPO_READ_ONLY, E_REPO_LOCKED, E_FILE_OWNER, E_FILE_SHARED
   */
  static async open(path: string, { create, readsOnly = false, layers, log }: OpenOptions): Promise<Folder> {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw refused(error, 'read', path)
    })
    if (found !== undefined && !found.isDirectory()) throw repoErrors.E_REPO_NOT_FOLDER(path)
    const isNew = !(await isInitialised(path))
    if (isNew && !create) throw await absent(path)
    const making = isNew ? await Making.begin(path, layers) : undefined
    for (const one of [path, join(path, repoFiles.config)]) {
      const mode = await closeToOthers(one)
      if (mode === undefined) continue
      log?.error(`others could write ${one} (mode ${octal(mode)}), which is closed to them now: look whether what lies there is yours`)
    }
    const config = join(path, repoFiles.config)
    const mode = await hideFromOthers(config)
    if (mode !== undefined) {
      const told = `others could read ${config} (mode ${octal(mode)}), and may know the private key of this node that is in it`
      log?.error(`${told}: it is this user's alone now, and 'holdfast key rotate --oldkey=before' gives the node another key`)
    }
    const file = join(path, repoFiles.lock)
    const lock = await acquireLock(file).catch(async (error: unknown) => {
      if (readsOnly && UNWRITABLE.some(code => hasCode(error, code))) return lockToRead(file)
      await making?.removeFolders()
      throw refused(error, 'write to', path)
    })
    const folder = new Folder(path, lock, making)
    if (lock.isSure) await folder.#removeAddresses()
    return folder
  }

  /** Call when nobody else can be working on this folder, whoever its lock file named. */
  async confirm(): Promise<void> {
    if (this.#lock.isSure || !this.#lock.isHeld) return
    await this.#lock.confirm()
    await this.#removeAddresses()
  }

  /** Left by a node that was killed: nobody listens there any more. */
  async #removeAddresses(): Promise<void> {
    await Promise.all(LISTENERS.map(listener => unlink(join(this.path, repoFiles[listener])).catch(() => {})))
  }

  /** Removes the address files, and what there is of a repo that came to nothing, then gives the lock back. */
  async close(): Promise<void> {
    await Promise.all([...this.#announced].map(file => unlink(file).catch(() => {})))
    this.#announced.clear()
    // what lies there may be another's who cannot be seen
    const making = this.#lock.isSure ? this.#making : undefined
    try {
      await making?.undo()
    } finally {
      await this.#lock.release()
    }
    await making?.removeFolders()
  }

  isInitialised(): Promise<boolean> {
    return isInitialised(this.path)
  }

  /** @throws E_REPO_NEWER, E_REPO_OLDER, E_REPO_VERSION */
  async checkVersion(): Promise<void> {
    const file = join(this.path, repoFiles.version)
    const text = (await this.#read(file))?.trim() ?? ''
    if (!/^\d+$/.test(text)) throw repoErrors.E_REPO_VERSION(file, text)
    const version = Number(text)
    if (version > REPO_VERSION) throw repoErrors.E_REPO_NEWER(REPO_VERSION, version)
    if (version < REPO_VERSION) throw repoErrors.E_REPO_OLDER(this.path, REPO_VERSION, version)
  }

  /**
   * The configuration comes last: a folder that has one is complete. Call when whatever else belongs to the repo is there.
   */
  async initialise(config: string): Promise<void> {
    await writeWhole(join(this.path, repoFiles.version), `${REPO_VERSION}\n`)
    await this.writeConfig(config)
    this.#making = undefined
  }

  /** Bytes that are no UTF-8 stay in the text, as `decodeUtf8` keeps them. */
  async readConfig(): Promise<string> {
    return decodeUtf8(await this.#configBytes())
  }

  /** The same at once: for one small file, seldom. */
  readConfigNow(): string {
    try {
      return decodeUtf8(readFileSync(this.configFile))
    } catch (error) {
      throw refused(error, 'read', this.configFile)
    }
  }

  writeConfig(text: string): Promise<void> {
    return writeWholeThrough(this.configFile, text)
  }

  /** Changes whenever the configuration file was written, by whomever. */
  configStamp(): string {
    const found = statSync(this.configFile, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? '' : `${found.ino} ${found.mtimeNs} ${found.size}`
  }

  /** @returns the copy's path */
  async backupConfig(prefix: string): Promise<string> {
    const copy = join(this.path, `${prefix}-${randomBytes(5).toString('hex')}`)
    const beside = `${this.configFile}.tmp`
    await writeWhole(copy, await this.#configBytes(), beside)
    return copy
  }

  /** Notes how what is kept here is stored, beside what is noted of services that are not there now. */
  async noteLayers(layers: StorageLayers): Promise<void> {
    const before = (await readLayouts(this.path)) ?? {}
    const kept = [...layers].filter(([, ofService]) => ofService.length > 0)
    const now = Object.fromEntries(
      kept.map(([service, ofService]) => [service, ofService.map(({ plugin, layout }) => ({ plugin, layout }))])
    )
    const spec = specOf(layers.get('datastore') ?? [])
    if (spec !== undefined) await this.#write(repoFiles.storage, spec)
    if (kept.length > 0) await this.#noteLayouts({ ...before, ...now })
  }

  /** Forgets how a service is stored. */
  async forgetLayers(service: string): Promise<void> {
    const { [service]: _, ...others } = (await readLayouts(this.path)) ?? {}
    await this.#noteLayouts(others)
  }

  async announce(listener: Listener, address: string): Promise<void> {
    await this.confirm()
    const file = join(this.path, repoFiles[listener])
    await writeWhole(file, address)
    this.#announced.add(file)
  }

  /** Bytes of all files, but for the folder `but`. Those that vanish while they are counted do not count. */
  diskUsage({ but, signal }: { but?: string; signal?: AbortSignal } = {}): Promise<bigint> {
    return folderSize(this.path, { but, signal })
  }

  async #noteLayouts(noted: NotedLayers): Promise<void> {
    await this.#write(repoFiles.layouts, `${JSON.stringify(noted)}\n`)
  }

  /** Leaves a file alone that says the same. */
  async #write(name: string, text: string): Promise<void> {
    const file = join(this.path, name)
    if ((await this.#read(file)) !== text) await writeWhole(file, text)
  }

  async #configBytes(): Promise<Uint8Array> {
    const bytes = await this.#bytes(this.configFile)
    if (bytes === undefined) throw await absent(this.path)
    return bytes
  }

  async #read(file: string): Promise<string | undefined> {
    return (await this.#bytes(file))?.toString()
  }

  async #bytes(file: string): Promise<Buffer | undefined> {
    try {
      return await readFile(file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw refused(error, 'read', file)
    }
  }
}

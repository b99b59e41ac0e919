import { mkdir, readdir, readFile, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode, KUBO_LAYOUT, messageOf } from '../../../core/index.ts'
import { isInitialised, repoFiles, syncFolder, writeWhole } from '../../../core/repo/index.ts'
import { migrateErrors } from '../errors.ts'
import { VERSIONS } from '../kubo/repo.ts'

/** The file in a folder that is not a repo yet that says whose it will be. */
const UNFINISHED = 'holdfast-unfinished'

/** A folder that becomes a repo of Kubo's. It is one, to Kubo, when its configuration is there, which comes last. */
export class Target {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  /**
   * Takes a folder that is empty, missing, or that an earlier run for the same peer has left unfinished.
   *
   * @throws E_MIGRATE_TARGET
   */
  static async open(path: string, peerId: string): Promise<Target> {
    try {
      await mkdir(path, { recursive: true, mode: 0o700 })
      if (await isInitialised(path)) throw migrateErrors.E_MIGRATE_TARGET(path, 'there is a repo already')
      const mark = join(path, UNFINISHED)
      const before = await readFile(mark, 'utf8').catch(() => undefined)
      if (before !== undefined && before !== peerId) throw migrateErrors.E_MIGRATE_TARGET(path, `it is being made for the peer ${before}`)
      if (before === undefined && (await readdir(path)).length > 0) throw migrateErrors.E_MIGRATE_TARGET(path, 'it is not empty')
      await writeWhole(mark, peerId)
    } catch (error) {
      if (hasCode(error, 'E_MIGRATE_TARGET')) throw error
      throw migrateErrors.E_MIGRATE_TARGET(path, messageOf(error))
    }
    return new Target(path)
  }

  /** A folder in it that is made from the beginning. */
  async anew(name: string): Promise<string> {
    const folder = join(this.path, name)
    await rm(folder, { recursive: true, force: true })
    return folder
  }

  /** Makes it a repo. Call when all else is there. */
  async finish(config: string): Promise<void> {
    await writeWhole(join(this.path, repoFiles.version), `${VERSIONS.least}\n`)
    await writeWhole(join(this.path, repoFiles.storage), JSON.stringify(KUBO_LAYOUT))
    await writeWhole(join(this.path, repoFiles.config), config)
    await unlink(join(this.path, UNFINISHED))
    await syncFolder(this.path)
  }
}

import { readdir, unlink } from 'node:fs/promises'
import { storageErrors } from '../errors.ts'
import { syncData, syncFolder } from '../files.ts'

/** RocksDB's own names: `000004.log`. */
const LOG_NAME = /^(\d{6,})\.log$/

/**
 * Makes RocksDB's write-ahead log durable from outside: the binding writes it to the kernel with every batch but never syncs it. One
 * `fdatasync` costs a fifth of a flush and leaves no table file behind.
 */
export class WriteAheadLog {
  readonly #folder: string
  readonly #current: () => Promise<{ number: number }>
  #synced = -1

  constructor(folder: string, current: () => Promise<{ number: number }>) {
    this.#folder = folder
    this.#current = current
  }

  async sync(): Promise<void> {
    const { number } = await this.#current()
    if (number === this.#synced) {
      const path = `${this.#folder}/${String(number).padStart(6, '0')}.log`
      // Its writes go on where the folder was moved to, and nothing here can make them durable.
      if (!(await syncData(path))) throw storageErrors.E_STORAGE_MOVED(path)
      return
    }
    // The log was changed since: the ones before may hold what no table has yet, and the folder does not know the new one for sure.
    for (const name of await readdir(this.#folder)) {
      const older = LOG_NAME.exec(name)
      if (older !== null && Number(older[1]) >= this.#synced) await syncData(`${this.#folder}/${name}`)
    }
    await syncFolder(this.#folder)
    this.#synced = number
  }
}

const KEPT_REPORTS = 2

/** RocksDB reports what it does in `LOG`, sets the old one aside at every start, and by itself would keep a thousand of them. */
export async function removeOldReports(folder: string): Promise<void> {
  const reports = (await readdir(folder)).filter(name => name.startsWith('LOG.old.')).sort()
  await Promise.all(reports.slice(0, -KEPT_REPORTS).map(name => unlink(`${folder}/${name}`)))
}

/** Files that fail on demand: what the node does with `node:fs/promises` below some paths, counted. */
import fs, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { Armed } from './armed.ts'

/** `before`: it is not done; `after`: it is, and fails all the same; `half`: half of the bytes are written, and nothing is done from there on. */
export type FileMode = 'before' | 'after' | 'half'

type Work = (...args: never[]) => Promise<unknown>

/** What changes something on the disk, or makes a change durable; `open` is counted where it is for writing. */
const CHANGES = ['rename', 'unlink', 'mkdir', 'copyFile', 'writeFile', 'chmod'] as const
const HANDLE_CHANGES = ['writeFile', 'write', 'sync', 'datasync'] as const

export class FileFaults extends Armed<FileMode> {
  readonly #below: (path: string) => boolean
  readonly #restore: Array<() => void> = []

  /** @param below - which paths count */
  constructor(below: (path: string) => boolean) {
    super('before', 'half')
    this.#below = below
    for (const name of CHANGES) this.#wrap(name, (path, work) => this.#change(`${name} ${path}`, path, work))
    const open = fs.open
    this.#put('open', async (path: string, flags?: string, mode?: number) => {
      const isChange = flags !== undefined && flags !== 'r' && this.#below(String(path))
      const made = async () => this.#wrapped(await open.call(fs, path, flags, mode), String(path))
      return isChange ? this.#change(`open ${path}`, String(path), made) : made()
    })
    syncBuiltinESMExports()
  }

  end(): void {
    for (const restore of this.#restore) restore()
    syncBuiltinESMExports()
  }

  #wrap(name: (typeof CHANGES)[number], change: (path: string, work: () => Promise<unknown>) => Promise<unknown>): void {
    const original = fs[name] as Work
    this.#put(name, (...args: never[]) => change(String(args[0]), () => original.apply(fs, args)))
  }

  #put(name: (typeof CHANGES)[number] | 'open', work: Work): void {
    const original = fs[name]
    Object.assign(fs, { [name]: work })
    this.#restore.push(() => Object.assign(fs, { [name]: original }))
  }

  #wrapped(file: FileHandle, path: string): FileHandle {
    if (!this.#below(path)) return file
    for (const name of HANDLE_CHANGES) {
      const original = file[name] as Work
      const work = (...args: never[]) => {
        const half =
          name === 'writeFile' ? () => original.apply(file, [halfOf(args[0] as unknown as string | Uint8Array)] as never[]) : undefined
        return this.#change(`${name} ${path}`, path, () => original.apply(file, args), half)
      }
      Object.assign(file, { [name]: work })
    }
    return file
  }

  async #change<T>(what: string, path: string, work: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> {
    if (!this.#below(path)) return work()
    if (!this.isNext()) return work()
    const isFirst = this.fired === undefined
    this.fired ??= what
    if (this.mode === 'after') await work()
    if (this.mode === 'half' && isFirst) await half?.()
    throw Object.assign(new Error(`EIO: i/o error, ${what}`), { code: 'EIO' })
  }
}

function halfOf(bytes: string | Uint8Array): Uint8Array {
  const all = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  return all.subarray(0, all.length >> 1)
}

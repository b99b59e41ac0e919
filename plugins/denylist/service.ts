import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import type { CID, DeniablePath, Denial, Denylist, Logger, Resources, Startable } from '../../core/index.ts'
import { messageOf } from '../../core/index.ts'
import { filesOf, Lists, stampOf } from './load.ts'
import type { Ruling } from './rules.ts'
import type { DenylistSettings } from './settings.ts'

/** How long writers of a list may take between two writes, in milliseconds. */
const SETTLED_MS = 200
/** How often files are looked at that nobody tells of, as on a network's disk, in milliseconds. */
const LOOK_MS = 60_000

interface Parts {
  readonly settings: DenylistSettings
  readonly resources: Resources
  readonly log: Pick<Logger, 'info' | 'warn' | 'error' | 'debug'>
}

/** The lists of the files that the settings name, read anew whenever one of them changes. */
export class FileDenylist implements Denylist, Startable {
  readonly coversCalls: boolean
  readonly #parts: Parts
  #lists = new Lists()
  #stamp = ''
  #reading: Promise<void> = Promise.resolve()
  #isDue = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.coversCalls = parts.settings.calls
  }

  /** A list that cannot be read keeps the node from starting: what it stands against would be served. */
  async start(): Promise<void> {
    const { settings, resources } = this.#parts
    await this.#read()
    for (const folder of new Set(settings.files.flatMap(path => [path, dirname(path)]))) this.#watch(folder)
    if (settings.files.length > 0) resources.every(LOOK_MS, () => this.refresh())
  }

  ofBlock(cid: CID): Denial | undefined {
    return this.#denial(this.#lists.rules.ofBlock(cid), () => String(cid))
  }

  ofPath(path: DeniablePath): Denial | undefined {
    return this.#denial(this.#lists.rules.ofPath(path), () => path.segments.join('/'))
  }

  /** Reads the lists where they have changed. Of one that cannot be read, the rules of before go on. */
  refresh(): Promise<void> {
    this.#reading = this.#reading.then(async () => {
      try {
        if ((await stampOf(await filesOf(this.#parts.settings.files))) !== this.#stamp) await this.#read()
      } catch (error) {
        if (!this.#parts.resources.signal.aborted) this.#parts.log.error(`${messageOf(error)}: the rules that were read before go on`)
      }
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    const { settings, log, resources } = this.#parts
    const files = await filesOf(settings.files)
    // taken before: what is written meanwhile is read again
    const stamp = await stampOf(files)
    const lists = new Lists()
    for (const file of files) await lists.read(file, settings.maxRules, log, resources.signal)
    this.#lists = lists
    this.#stamp = stamp
    log.info(`${lists.rules.size} rules of ${files.length} denylists`)
  }

  #denial(ruling: Ruling | undefined, what: () => string): Denial | undefined {
    if (ruling === undefined || ruling.allows) return undefined
    this.#parts.log.debug(`${what()} is denied by ${this.#lists.placeOf(ruling)}`)
    return ruling
  }

  #watch(path: string): void {
    const { resources, log } = this.#parts
    try {
      const watcher: FSWatcher = resources.add(watch(path, { persistent: false }, () => this.#changed()))
      watcher.on('error', error => log.warn(`${path} is looked at once a minute alone: ${messageOf(error)}`))
    } catch (error) {
      log.warn(`${path} is looked at once a minute alone: ${messageOf(error)}`)
    }
  }

  #changed(): void {
    if (this.#isDue) return
    this.#isDue = true
    this.#parts.resources.after(SETTLED_MS, () => {
      this.#isDue = false
      return this.refresh()
    })
  }
}

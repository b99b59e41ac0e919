import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { CID, DeniablePath, Denial, Denylist, Logger, Resources, Startable } from '../../core/index.ts'
import { messageOf } from '../../core/index.ts'
import { type Found, findLists, isCut, Lists } from './load.ts'
import type { Ruling } from './rules.ts'
import type { DenylistSettings } from './settings.ts'

/** How long writers of lists are waited for, in milliseconds. */
interface Waits {
  /** From the last change on. */
  readonly still: number
  /** The same of a list that was made shorter: who writes it anew may have to fetch what comes next. */
  readonly cut: number
  /** In all: what is written all the time is read nevertheless, unless it is shorter than it was. */
  readonly most: number
}

const WAITS: Waits = { still: 200, cut: 2000, most: 30_000 }
/** How often files are looked at that nobody tells of, as on a network's disk, in milliseconds. */
const LOOK_MS = 60_000

interface Parts {
  readonly settings: DenylistSettings
  readonly resources: Resources
  readonly log: Pick<Logger, 'info' | 'warn' | 'error' | 'debug'>
  readonly waits?: Waits
}

/** The lists of the files that the settings name, read anew whenever one of them changes. */
export class FileDenylist implements Denylist, Startable {
  readonly coversCalls: boolean
  readonly #parts: Parts
  readonly #waits: Waits
  #lists = new Lists()
  #found: Found = { files: [], passedOver: [] }
  #reading: Promise<void> = Promise.resolve()
  #isDue = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#waits = parts.waits ?? WAITS
    this.coversCalls = parts.settings.calls
  }

  /** A list that cannot be read keeps the node from starting: what it stands against would be served. */
  async start(_: AbortSignal, progress: () => void): Promise<void> {
    const { settings, resources } = this.#parts
    const found = await findLists(settings.files)
    this.#take(await this.#read(found, progress), found)
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
      this.#isDue = false
      try {
        await this.#readChanged()
      } catch (error) {
        if (!this.#parts.resources.signal.aborted) this.#parts.log.error(`${messageOf(error)}: the rules that were read before go on`)
      }
    })
    return this.#reading
  }

  async #readChanged(): Promise<void> {
    const { files } = this.#parts.settings
    const end = performance.now() + this.#waits.most
    for (;;) {
      const found = await this.#settled(end)
      if (isDeepStrictEqual(found, this.#found)) return
      const lists = await this.#read(found)
      const now = await findLists(files)
      // half a list, where it is written while it is read
      if (!isDeepStrictEqual(now, found) && (performance.now() < end || isCut(now, found))) continue
      return this.#take(lists, found)
    }
  }

  /** The files once they stand still: those that were read, or others that nobody writes any more. */
  async #settled(end: number): Promise<Found> {
    const { settings, resources } = this.#parts
    let found = await findLists(settings.files)
    while (!isDeepStrictEqual(found, this.#found)) {
      const before = found
      const wait = isCut(found, this.#found) ? this.#waits.cut : this.#waits.still
      await delay(wait, undefined, { signal: resources.signal, ref: false })
      found = await findLists(settings.files)
      if (isDeepStrictEqual(found, before) || (performance.now() >= end && !isCut(found, this.#found))) break
    }
    return found
  }

  async #read({ files }: Found, progress?: () => void): Promise<Lists> {
    const { settings, log, resources } = this.#parts
    const lists = new Lists()
    for (const { path } of files) await lists.read(path, { most: settings.maxRules, log, signal: resources.signal, progress })
    return lists
  }

  #take(lists: Lists, found: Found): void {
    const { log } = this.#parts
    this.#lists = lists
    this.#found = found
    for (const path of found.passedOver) log.warn(`denylist ${path}: passed over, as it is no regular file`)
    log.info(`${lists.rules.size} rules of ${found.files.length} denylists`)
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
    this.#parts.resources.after(this.#waits.still, () => this.refresh())
  }
}

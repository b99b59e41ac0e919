import type { CID } from 'multiformats/cid'
import type { Announced, BlockOptions, Lease, Removal, Root, WriteBarrier } from '../../core/index.ts'
import { Fingerprints, fingerprintOf } from './fingerprints.ts'

/** Blocks stored in an epoch after which the next lease begins a new one. */
const LONG_EPOCH = 4096

/** A stretch of time, what was stored in it, and how many leases and removals began in it that are not over. */
class Epoch {
  record = new Fingerprints()
  held = 0
}

/**
 * Remembers what is stored while somebody holds a lease or removes blocks. Of every epoch it is kept until all that began in it or before
 * have ended, so that calls that overlap without end do not make it grow; while nobody holds anything, nothing is remembered.
 */
export class Barrier implements WriteBarrier {
  /** The oldest first; empty when nothing is held. */
  readonly #epochs: Epoch[] = []
  #held = 0
  /** Leases in any order: a `Set` whose members come and go without end leaves table after table to the collector of garbage. */
  readonly #leases: Held[] = []
  /** The key under which a signal has its lease: a `WeakMap` would be walked through at each collection. */
  readonly #lease = Symbol('lease')
  /** Leases without a signal: they hold blocks that are stored without one. */
  readonly #unsigned = new Set<Held>()
  readonly #announced = new Set<Announcement>()
  readonly #readings = new Set<Announcement>()
  readonly #removals = new Set<OpenRemoval>()
  #removing: Promise<void> | undefined

  hold({ signal }: { signal?: AbortSignal } = {}): Lease {
    const epoch = this.#enter()
    const lease = new Held(() => {
      if (signal === undefined) this.#unsigned.delete(lease)
      else if (this.#leaseOf(signal) === lease) this.#claim(signal, undefined)
      this.#unlist(lease)
      this.#leave(epoch)
    })
    if (signal === undefined) this.#unsigned.add(lease)
    else this.#claim(signal, lease)
    this.#list(lease)
    return lease
  }

  storing(multihash: Uint8Array, options?: BlockOptions): Promise<void> | undefined {
    if (this.#held === 0) return undefined
    const print = fingerprintOf(multihash)
    this.#epochs.at(-1)!.record.add(print)
    const owner = options?.lease ?? (options?.signal && this.#leaseOf(options.signal))
    if (owner instanceof Held) owner.add(print)
    else for (const lease of this.#unsigned) lease.add(print)
    return this.#removing
  }

  async announce(root: Root): Promise<Lease> {
    const epoch = this.#enter()
    const announcement = new Announcement(root, () => {
      this.#announced.delete(announcement)
      this.#unlist(announcement)
      this.#leave(epoch)
    })
    this.#announced.add(announcement)
    this.#list(announcement)
    for (const removal of this.#removals) removal.unseen.add(announcement)
    // Before any more are removed, those who remove look at it.
    await this.#removing
    return announcement
  }

  reading(cid: CID): Lease | Promise<Lease> {
    const epoch = this.#enter()
    const reading = new Announcement({ cid, recursive: true, bestEffort: true }, () => {
      this.#readings.delete(reading)
      // what was read leaves nothing behind that has to be found
      for (const removal of this.#removals) removal.unseen.delete(reading)
      this.#leave(epoch)
    })
    this.#readings.add(reading)
    for (const removal of this.#removals) if (removal.sparesReads) removal.unseen.add(reading)
    return this.#removing?.then(() => reading) ?? reading
  }

  removal({ sparesReads = false } = {}): Removal {
    const epoch = this.#enter({ fresh: true })
    const removal = new OpenRemoval({
      unseen: new Set([...this.#announced, ...(sparesReads ? this.#readings : [])]),
      sparesReads,
      keeps: print => this.#epochs.some(({ record }) => record.has(print)),
      hasSeen: print => this.#epochs.slice(this.#epochs.indexOf(epoch)).some(({ record }) => record.has(print)),
      owner: print => this.#leases.find(lease => lease.has(print)),
      removing: () => this.#removing,
      remove: work => this.#remove(work),
      release: () => {
        this.#removals.delete(removal)
        this.#leave(epoch)
      }
    })
    this.#removals.add(removal)
    return removal
  }

  #leaseOf(signal: AbortSignal): Held | undefined {
    return (signal as Marked)[this.#lease]
  }

  #claim(signal: AbortSignal, lease: Held | undefined): void {
    ;(signal as Marked)[this.#lease] = lease
  }

  #list(lease: Held): void {
    lease.at = this.#leases.push(lease) - 1
  }

  #unlist(lease: Held): void {
    const last = this.#leases.pop()!
    if (last === lease) return
    this.#leases[lease.at] = last
    last.at = lease.at
  }

  async #remove<T>(work: () => Promise<T>): Promise<T> {
    let open = () => {}
    this.#removing = new Promise(resolve => {
      open = resolve
    })
    try {
      return await work()
    } finally {
      this.#removing = undefined
      open()
    }
  }

  #enter({ fresh = false } = {}): Epoch {
    let current = this.#epochs.at(-1)
    if (current === undefined || current.record.size > (fresh ? 0 : LONG_EPOCH)) {
      const before = current
      current = new Epoch()
      this.#epochs.push(current)
      if (before?.held === 0) this.#close(before)
    }
    current.held++
    this.#held++
    return current
  }

  #leave(epoch: Epoch): void {
    epoch.held--
    this.#held--
    if (this.#held === 0) this.#epochs.length = 0
    else if (epoch.held === 0 && epoch !== this.#epochs.at(-1)) this.#close(epoch)
  }

  /** The end of an epoch: its record matters only to those who began before it. */
  #close(epoch: Epoch): void {
    const at = this.#epochs.indexOf(epoch)
    const before = this.#epochs[at - 1]
    this.#epochs.splice(at, 1)
    if (before === undefined) return
    const [small, large] = before.record.size < epoch.record.size ? [before.record, epoch.record] : [epoch.record, before.record]
    large.addAll(small)
    before.record = large
  }
}

type Marked = AbortSignal & { [lease: symbol]: Held | undefined }

/** A lease, and what was stored under it. */
class Held implements Lease {
  /** Where it is in the list. */
  at = -1
  readonly #release: () => void
  #fingerprints: Fingerprints | undefined
  #over: Promise<void> | undefined
  #end: () => void = () => {}
  #isOver = false

  constructor(release: () => void) {
    this.#release = release
  }

  /** Resolves when it has been released. */
  get over(): Promise<void> {
    this.#over ??= this.#isOver
      ? Promise.resolve()
      : new Promise(resolve => {
          this.#end = resolve
        })
    return this.#over
  }

  add(print: number): void {
    if (this.#isOver) return
    this.#fingerprints ??= new Fingerprints()
    this.#fingerprints.add(print)
  }

  has(print: number): boolean {
    return this.#fingerprints?.has(print) ?? false
  }

  release(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#fingerprints = undefined
    this.#release()
    this.#end()
  }
}

class Announcement extends Held implements Announced {
  readonly cid: CID
  readonly recursive: boolean
  readonly bestEffort: boolean

  constructor({ cid, recursive, bestEffort = false }: Root, release: () => void) {
    super(release)
    this.cid = cid
    this.recursive = recursive
    this.bestEffort = bestEffort
  }
}

interface RemovalParts {
  /** Announced, and not yet looked at. */
  readonly unseen: Set<Announcement>
  readonly sparesReads: boolean
  keeps(print: number): boolean
  hasSeen(print: number): boolean
  owner(print: number): Held | undefined
  removing(): Promise<void> | undefined
  remove<T>(work: () => Promise<T>): Promise<T>
  release(): void
}

class OpenRemoval implements Removal {
  readonly #parts: RemovalParts
  #isOver = false

  constructor(parts: RemovalParts) {
    this.#parts = parts
  }

  get unseen(): Set<Announcement> {
    return this.#parts.unseen
  }

  get sparesReads(): boolean {
    return this.#parts.sparesReads
  }

  keeps(multihash: Uint8Array): boolean {
    return this.#parts.keeps(fingerprintOf(multihash))
  }

  hasSeen(multihash: Uint8Array): boolean {
    return this.#parts.hasSeen(fingerprintOf(multihash))
  }

  inUse(multihash: Uint8Array): Promise<void> | undefined {
    return this.#parts.owner(fingerprintOf(multihash))?.over
  }

  async run<T>(look: (root: Announced) => Promise<void>, remove: () => Promise<T>): Promise<T> {
    const { unseen } = this.#parts
    for (;;) {
      for (const root of unseen) {
        unseen.delete(root)
        await look(root)
      }
      const other = this.#parts.removing()
      if (other === undefined) return this.#parts.remove(remove)
      await other
    }
  }

  release(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#parts.release()
  }
}

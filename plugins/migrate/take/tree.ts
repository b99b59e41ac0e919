import { Key } from 'interface-datastore'
import { cidToString, decodeCid } from '../../../core/cid/index.ts'
import { type BlockOptions, type CID, type Datastore, type Metadata, type Mfs, messageOf, type UnixFs } from '../../../core/index.ts'
import type { Report } from '../report.ts'

/** Where the root of Kubo's tree stands that was taken over last: what differs from it on one side alone was changed on that side. */
const TAKEN = new Key('/local/migrate/filesroot')

/** Names of links that are no part of a path. */
const NO_NAME = /^\.{0,2}$|\//
const CHANGED = 'it is otherwise here'

interface Parts {
  readonly mfs: Mfs
  readonly unixfs: UnixFs
  readonly datastore: Datastore
}

/** A directory as it is in three trees: the one here, Kubo's, and Kubo's as it was taken over before. */
interface Versions {
  readonly ours: CID
  readonly theirs: CID
  readonly before: CID | undefined
}

/** The same of an entry, which need not be here. */
interface EntryVersions extends Omit<Versions, 'ours'> {
  readonly ours: CID | undefined
}

/**
 * Takes Kubo's mutable tree over: all of it where there is none here, else what is not here, and files that were changed in Kubo's alone since they
 * were taken over. Nothing that is here goes, and what was changed on both sides stays as it is here, and is told.
 */
export async function takeTree(
  theirs: CID,
  { mfs, unixfs, datastore }: Parts,
  { report, signal }: { readonly report: Report; readonly signal: AbortSignal }
): Promise<void> {
  const options = { offline: true, signal }
  const ours = await mfs.flush('/', options)
  const merge = new Merge(mfs, unixfs, report, options)
  if (await merge.isEmpty(ours)) await mfs.restore(theirs, options)
  else await merge.directory('', { ours, theirs, before: await takenBefore(datastore) })
  report.Root = cidToString(await mfs.flush('/', options))
  await datastore.put(TAKEN, theirs.bytes)
  await datastore.sync?.()
}

async function takenBefore(datastore: Datastore): Promise<CID | undefined> {
  return (await datastore.has(TAKEN)) ? decodeCid(await datastore.get(TAKEN)) : undefined
}

class Merge {
  readonly #mfs: Mfs
  readonly #unixfs: UnixFs
  readonly #report: Report
  readonly #options: BlockOptions

  constructor(mfs: Mfs, unixfs: UnixFs, report: Report, options: BlockOptions) {
    this.#mfs = mfs
    this.#unixfs = unixfs
    this.#report = report
    this.#options = options
  }

  async isEmpty(directory: CID): Promise<boolean> {
    for await (const _ of this.#unixfs.list(directory, this.#options)) return false
    return true
  }

  /** @param path - without a slash at its end */
  async directory(path: string, { ours, theirs, before }: Versions): Promise<void> {
    if (theirs.equals(ours) || (before !== undefined && theirs.equals(before))) return
    const here = await this.#entries(ours)
    // its blocks may be gone: then nobody knows which side changed what
    const taken = before === undefined ? undefined : await this.#entries(before).catch(() => undefined)
    for await (const { name, cid } of this.#unixfs.list(theirs, this.#options)) {
      const at = `${path}/${name}`
      if (NO_NAME.test(name)) this.#leave(at, cid, 'no path leads there')
      else await this.#entry(at, { ours: here.get(name), theirs: cid, before: taken?.get(name) })
    }
    await this.#metadata(path, { ours, theirs, before })
  }

  /** What a directory says of itself: changed in Kubo's alone it comes over. */
  async #metadata(path: string, { ours, theirs, before }: Versions): Promise<void> {
    const [here, there] = await Promise.all([this.#unixfs.stat(ours, this.#options), this.#unixfs.stat(theirs, this.#options)])
    if (isAlike(here, there)) return
    const taken = before === undefined ? undefined : await this.#unixfs.stat(before, this.#options).catch(() => undefined)
    if (taken !== undefined && isAlike(there, taken)) return
    const isTheirs = taken !== undefined && isAlike(here, taken)
    const { mode, reserved, mtime } = there
    if (isTheirs && path !== '') await this.#mfs.describe(path, { mode, reserved, mtime }, this.#options)
    else this.#leave(path || '/', theirs, 'its mode or time is otherwise here')
  }

  async #entry(path: string, { ours, theirs, before }: EntryVersions): Promise<void> {
    if (ours !== undefined && (theirs.equals(ours) || before?.equals(theirs))) return
    try {
      if (ours === undefined) await this.#put(path, theirs, false)
      else if (await this.#isDirectory(ours)) {
        if (!(await this.#isDirectory(theirs))) return this.#leave(path, theirs, CHANGED)
        const isDirectory = before !== undefined && (await this.#isDirectory(before).catch(() => false))
        await this.directory(path, { ours, theirs, before: isDirectory ? before : undefined })
      } else if (before?.equals(ours)) await this.#put(path, theirs, true)
      else this.#leave(path, theirs, CHANGED)
    } catch (error) {
      this.#options.signal?.throwIfAborted()
      this.#leave(path, theirs, messageOf(error))
    }
  }

  #put(path: string, cid: CID, force: boolean): Promise<void> {
    return this.#mfs.copy(`/ipfs/${cid}`, path, { ...this.#options, force, flush: false })
  }

  #leave(path: string, cid: CID, why: string): void {
    this.#report.Left.push(`${path} of the mutable tree, which is /ipfs/${cidToString(cid)} there: ${why}`)
  }

  async #isDirectory(cid: CID): Promise<boolean> {
    return (await this.#unixfs.stat(cid, this.#options)).type === 'directory'
  }

  async #entries(directory: CID): Promise<ReadonlyMap<string, CID>> {
    const entries = new Map<string, CID>()
    for await (const { name, cid } of this.#unixfs.list(directory, this.#options)) if (!entries.has(name)) entries.set(name, cid)
    return entries
  }
}

/** Whether two nodes say the same of the file that they were. */
function isAlike(one: Metadata, other: Metadata): boolean {
  return one.mode === other.mode && one.mtime?.seconds === other.mtime?.seconds && one.mtime?.nanoseconds === other.mtime?.nanoseconds
}

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Blockstore, CID, plugin, service } from 'holdfast'

/** A store as the ecosystem writes them, with the interface's own methods alone: one file for each block. */
class FsBlockstore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async start() {
    await mkdir(this.#folder, { recursive: true })
  }

  async put(cid: CID, bytes: Uint8Array) {
    await writeFile(this.#fileOf(cid), bytes)
    return cid
  }

  async *putMany(source: Iterable<{ cid: CID; bytes: Uint8Array }>) {
    for (const { cid, bytes } of source) yield this.put(cid, bytes)
  }

  async *get(cid: CID) {
    const bytes = await readFile(this.#fileOf(cid)).catch(() => undefined)
    if (bytes === undefined) throw Object.assign(new Error('not found'), { name: 'NotFoundError' })
    yield bytes
  }

  async *getMany(source: Iterable<CID>) {
    for (const cid of source) yield { cid, bytes: this.get(cid) }
  }

  async *getAll() {
    for (const name of await readdir(this.#folder)) {
      const cid = CID.parse(name)
      yield { cid, bytes: this.get(cid) }
    }
  }

  async has(cid: CID) {
    return (await readdir(this.#folder)).includes(nameOf(cid))
  }

  async delete(cid: CID) {
    await rm(this.#fileOf(cid), { force: true })
  }

  async *deleteMany(source: Iterable<CID>) {
    for (const cid of source) {
      await this.delete(cid)
      yield cid
    }
  }

  #fileOf(cid: CID) {
    return join(this.#folder, nameOf(cid))
  }
}

const nameOf = (cid: CID) => CID.createV1(0x55, cid.multihash).toString()

export const storageFs = (folder: string) =>
  plugin({
    name: 'storage-fs',
    api: '^1',
    about: 'Keeps each block in a file.',
    provides: [service(Blockstore, { make: () => new FsBlockstore(folder) as unknown as Blockstore })]
  })

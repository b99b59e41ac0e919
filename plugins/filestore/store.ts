import { dirname } from 'node:path'
import { CID } from 'multiformats/cid'
import { decode } from 'multiformats/hashes/digest'
import { RAW } from '../../core/cid/codes.ts'
import { digestInTurns, hashFunction } from '../../core/cid/hashers.ts'
import { type Datastore, messageOf, type Place, type Reference, type References, type Repo, type Startable } from '../../core/index.ts'
import { filestoreErrors } from './errors.ts'
import { Files } from './files.ts'
import { decodeRecord, encodeRecord, keyOf, multihashOf, PREFIX } from './record.ts'
import type { FilestoreSettings } from './settings.ts'
import { isUrl, Urls } from './urls.ts'

interface Options {
  signal?: AbortSignal
}

/** Most bytes that a record may claim a block to have. */
const MOST_BYTES = 64 * 1024 * 1024

/** References in the datastore, in the form of boxo's filestore. */
export class ReferenceStore implements References, Startable {
  readonly #datastore: Datastore
  readonly #repo: Repo
  readonly #settings: FilestoreSettings
  readonly #urls: Urls
  #files: Files | undefined
  #hasFiles = false
  #hasUrls = false

  constructor(datastore: Datastore, repo: Repo, settings: FilestoreSettings) {
    this.#datastore = datastore
    this.#repo = repo
    this.#settings = settings
    this.#urls = new Urls(settings)
  }

  start(): void {
    this.#hasFiles = this.#repo.get('Experimental.FilestoreEnabled') === true
    this.#hasUrls = this.#repo.get('Experimental.UrlstoreEnabled') === true
    const { path } = this.#repo
    // without a repo's folder there is none above it, so only roots that were named count
    if (path !== undefined || this.#settings.roots.length > 0) {
      this.#files = new Files(path === undefined ? this.#settings.roots[0]! : dirname(path), this.#settings.roots)
    }
  }

  get isEnabled(): boolean {
    return this.#hasFiles || this.#hasUrls
  }

  async add(multihash: Uint8Array, { path, offset, size }: Place, options?: Options): Promise<void> {
    const noted = await this.#noted(path)
    if (size > MOST_BYTES) throw filestoreErrors.E_REFERENCE_SIZE(size, MOST_BYTES)
    const before = await this.get(multihash, options)
    const isOther = before !== undefined && (before.path !== noted || before.offset !== offset)
    if (isOther && (await this.#holds(before, options))) return
    await this.#datastore.put(keyOf(multihash), encodeRecord({ path: noted, offset, size }), options)
  }

  async get(multihash: Uint8Array, options?: Options): Promise<Reference | undefined> {
    const key = keyOf(multihash)
    try {
      return referenceOf(multihash, await this.#datastore.get(key, options))
    } catch (error) {
      if (error instanceof Error && error.name === 'NotFoundError') return undefined
      throw error
    }
  }

  async read(multihash: Uint8Array, options?: Options): Promise<Uint8Array | undefined> {
    const reference = await this.get(multihash, options)
    return reference && this.#bytesOf(reference, options)
  }

  async delete(multihash: Uint8Array, options?: Options): Promise<number | undefined> {
    const reference = await this.get(multihash, options)
    if (reference !== undefined) await this.#datastore.delete(keyOf(multihash), options)
    return reference?.size
  }

  async *list(options?: Options): AsyncGenerator<Reference> {
    for await (const { key, value } of this.#datastore.query({ prefix: PREFIX }, options)) {
      const multihash = multihashOf(key)
      if (multihash !== undefined) yield referenceOf(multihash, value)
    }
  }

  async *open(url: string, { signal }: Options = {}): AsyncGenerator<Uint8Array> {
    if (!this.#hasUrls) throw filestoreErrors.E_URLSTORE_OFF()
    yield* this.#urls.open(url, { signal })
  }

  async #noted(path: string): Promise<string> {
    if (isUrl(path)) {
      if (!this.#hasUrls) throw filestoreErrors.E_URLSTORE_OFF()
      this.#urls.check(path)
      return path
    }
    if (!this.#hasFiles) throw filestoreErrors.E_FILESTORE_OFF()
    if (this.#files === undefined) throw filestoreErrors.E_REFERENCE_OUTSIDE('none')
    return this.#files.noted(path)
  }

  async #holds(reference: Reference, options: Options | undefined): Promise<boolean> {
    try {
      await this.#bytesOf(reference, options)
      return true
    } catch {
      options?.signal?.throwIfAborted()
      return false
    }
  }

  /** @throws E_REFERENCE_…: bytes that are others than those that were added are never handed out */
  async #bytesOf(reference: Reference, options: Options = {}): Promise<Uint8Array> {
    const { multihash, path, offset, size, corrupt } = reference
    if (corrupt !== undefined) throw filestoreErrors.E_REFERENCE_FILE(corrupt)
    if (size > MOST_BYTES) throw filestoreErrors.E_REFERENCE_SIZE(size, MOST_BYTES)
    const bytes = isUrl(path) ? await this.#ofUrl(reference, options.signal) : await this.#ofFile(reference)
    const { code, digest } = decode(multihash)
    const made = await digestInTurns(hashFunction(code), bytes, digest.length, { signal: options.signal ?? NEVER })
    if (!Buffer.from(made).equals(digest)) throw filestoreErrors.E_REFERENCE_CHANGED(path, offset)
    return bytes
  }

  #ofUrl({ path, offset, size }: Reference, signal: AbortSignal | undefined): Promise<Uint8Array> {
    if (!this.#hasUrls) throw filestoreErrors.E_URLSTORE_OFF()
    return this.#urls.read(path, offset, size, signal)
  }

  #ofFile(reference: Reference): Promise<Uint8Array> {
    if (!this.#hasFiles || this.#files === undefined) throw filestoreErrors.E_FILESTORE_OFF()
    return this.#files.read(reference)
  }
}

const NEVER = new AbortController().signal

/** How the block of a reference is shown: version 1, raw, whatever codec it was stored with. */
export function cidOfReference(multihash: Uint8Array): CID {
  return CID.createV1(RAW, decode(multihash))
}

function referenceOf(multihash: Uint8Array, record: Uint8Array): Reference {
  try {
    return { multihash, ...decodeRecord(record) }
  } catch (error) {
    return { multihash, path: '', offset: 0, size: 0, corrupt: messageOf(error) }
  }
}

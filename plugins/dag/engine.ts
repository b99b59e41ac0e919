import type { CID } from 'multiformats/cid'
import { RAW } from '../../core/cid/codes.ts'
import { hashFunctions } from '../../core/cid/hashers.ts'
import { Codecs } from '../../core/dag/codecs/codecs.ts'
import { codecsWithin } from '../../core/dag/codecs/standard.ts'
import { dagErrors } from '../../core/dag/errors.ts'
import { kindOf, type Node, Typed } from '../../core/dag/model.ts'
import { type Source, type WalkOptions as Walking, walk } from '../../core/dag/walk/walk.ts'
import {
  type BlockOptions,
  Blocks,
  type Codec,
  type Dag,
  type Encoder,
  type Hasher,
  type Link,
  type ReadAhead,
  type Visit,
  type WalkOptions
} from '../../core/index.ts'
import { DagSettings } from './settings.ts'

/** Codecs and hashers of this host, and graphs over its blocks. */
export class DagEngine implements Dag {
  readonly #blocks: Blocks
  readonly #walks: Pick<Walking, 'maxVisits' | 'held' | 'budget'>
  readonly #codecs: Codecs
  readonly #hashers = new Map<number, Hasher>(hashFunctions.map(hasher => [hasher.code, hasher]))

  constructor(blocks: Blocks, { maxVisits, maxHeld, ...limits }: DagSettings, budget?: ReadAhead) {
    this.#blocks = blocks
    this.#walks = { maxVisits, held: maxHeld, budget }
    this.#codecs = new Codecs(codecsWithin(limits))
  }

  addCodec(codec: Codec): void {
    this.#codecs.add(codec)
  }

  addHasher(hasher: Hasher): void {
    if (this.#hashers.has(hasher.code)) throw dagErrors.E_HASHER_TAKEN(hasher.name, hasher.code)
    this.#hashers.set(hasher.code, hasher)
  }

  codecs(): readonly Codec[] {
    return [...this.#codecs]
  }

  hashers(): readonly Hasher[] {
    return [...this.#hashers.values()]
  }

  codec(code: number): Codec {
    return this.#codecs.reader(code)
  }

  decoder(code: number): Codec {
    return this.#codecs.decoder(code)
  }

  encoder(code: number): Encoder {
    return this.#codecs.encoder(code)
  }

  hasher(code: number): Hasher | undefined {
    return this.#hashers.get(code)
  }

  async load(cid: CID, { exact = false, ...options }: BlockOptions & { exact?: boolean } = {}): Promise<Node> {
    const codec = this.codec(cid.code)
    const bytes = await this.#blocks.get(cid, options)
    const node = exact && codec.exact !== undefined ? codec.exact(bytes) : codec.decode(bytes)
    return node instanceof Typed || cid.code === RAW ? node : new Typed(kindOf(node), node)
  }

  links(cid: CID, bytes: Uint8Array): readonly Link[] {
    const links = this.codec(cid.code).links(bytes)
    return Array.isArray(links) ? links : [...links]
  }

  walk(root: CID, { offline, ...options }: WalkOptions = {}): AsyncGenerator<Visit> {
    const blocks = this.#blocks
    const source: Source = {
      get: (cid, { signal, transient }) => blocks.get(cid, { signal, transient, offline }),
      readAll: blocks.readAll && ((cids, { signal, transient }) => blocks.readAll!(cids, { signal, transient, offline })),
      reading: blocks.reading && (root => blocks.reading!(root)),
      links: (cid, bytes) => this.links(cid, bytes)
    }
    return walk(root, source, { ...this.#walks, ...options })
  }
}

import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import type { Random } from '../helpers/random.ts'
import type { Answer, Request } from './request.ts'

const CODECS = ['raw', 'dag-pb', 'dag-cbor', 'dag-json', 'cbor', 'json']
const HASHES = ['sha2-256', 'sha2-512', 'blake3', 'identity']
const TYPES = ['all', 'direct', 'indirect', 'recursive', 'none']

type Query = Array<[string, string]>

/** Random calls, with a seed: what they name is what earlier answers told, so that most of them find something. */
export class Generator {
  readonly #random: Random
  readonly #known: string[] = ['QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn', 'bafkqaaa', 'nonsense']

  constructor(random: Random) {
    this.#random = random
    this.#known.push(CID.createV1(0x70, identity.digest(random.bytes(5))).toString())
  }

  /** Takes the CIDs of an answer for later calls. */
  learn({ body }: Answer): void {
    const text = JSON.stringify(body)
    for (const [cid] of text.matchAll(/\b(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{6,})\b/g))
      if (!this.#known.includes(cid)) this.#known.push(cid)
  }

  next(): Request {
    return this.#one<() => Request>([
      () => this.#add(),
      () => this.#blockPut(),
      () => this.#dagPut(),
      () => this.#named('pin/add', () => [...this.#flag('recursive'), ...this.#maybe('name', 'a name')]),
      () => this.#named('pin/ls', () => this.#maybe('type', this.#one(TYPES))),
      () => ({ path: 'pin/ls', query: [...this.#maybe('type', this.#one(TYPES)), ...this.#flag('stream'), ...this.#flag('names')] }),
      () => this.#named('pin/rm', () => this.#flag('recursive')),
      () => ({ path: 'pin/update', query: [['arg', this.#cid()], ['arg', this.#cid()], ...this.#flag('unpin')] }),
      () => this.#named('block/get'),
      () => this.#named('block/stat'),
      () => this.#named('block/rm', () => [...this.#flag('force'), ...this.#flag('quiet')]),
      () => this.#named('dag/get', () => this.#maybe('output-codec', this.#one(CODECS))),
      () => this.#named('dag/resolve'),
      () => this.#named('cat', () => [...this.#maybe('offset', this.#size()), ...this.#maybe('length', this.#size())]),
      () => this.#named('ls', () => [...this.#flag('size'), ...this.#flag('resolve-type')]),
      () => this.#named('refs', () => [...this.#flag('recursive'), ...this.#flag('unique'), ...this.#flag('edges')]),
      () => this.#named('resolve')
    ])()
  }

  #add(): Request {
    const query: Query = [
      ...this.#maybe('chunker', this.#one(['size-100', 'size-1', 'size-0', 'rabin-16-32-64', 'buzhash'])),
      ...this.#flag('raw-leaves'),
      ...this.#flag('pin'),
      ...this.#flag('trickle'),
      ...this.#flag('only-hash'),
      ...this.#maybe('cid-version', this.#one(['0', '1'])),
      ...this.#maybe('hash', this.#one(HASHES))
    ]
    return { path: 'add', query, file: this.#bytes(1000) }
  }

  #blockPut(): Request {
    const query: Query = [...this.#maybe('cid-codec', this.#one(CODECS)), ...this.#maybe('mhtype', this.#one(HASHES)), ...this.#flag('pin')]
    return { path: 'block/put', query, file: this.#bytes(200) }
  }

  #dagPut(): Request {
    const links = Array.from({ length: this.#random.below(3) }, () => ({ '/': this.#cid() }))
    const file = Buffer.from(JSON.stringify({ n: this.#random.below(100), links })).toString('base64')
    return { path: 'dag/put', query: [...this.#maybe('store-codec', this.#one(CODECS)), ...this.#flag('pin')], file }
  }

  #named(path: string, more: () => Query = () => []): Request {
    return { path, query: [['arg', this.#cid()], ...more()] }
  }

  /** The newest more often. */
  #cid(): string {
    const known = this.#known
    return known[
      this.#random.below(2) === 0 ? this.#random.below(known.length) : known.length - 1 - this.#random.below(Math.min(8, known.length))
    ]!
  }

  #maybe(name: string, value: string): Query {
    return this.#random.below(3) === 0 ? [[name, value]] : []
  }

  #flag(name: string): Query {
    return this.#maybe(name, this.#one(['true', 'false']))
  }

  #size(): string {
    return String(this.#random.below(1200) - 2)
  }

  #bytes(most: number): string {
    return Buffer.from(this.#random.bytes(this.#random.below(most))).toString('base64')
  }

  #one<T>(of: readonly T[]): T {
    return of[this.#random.below(of.length)]!
  }
}

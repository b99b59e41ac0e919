import { placeOf } from '../../core/network/index.ts'
import { Turns } from '../../core/turns.ts'
import type { ProvidedKey } from './keys.ts'

/** Places of a list of keys, by the server that is told of them. */
type Lists = Map<string, number[]>

/**
 * The servers of a region, and which of them are closest to a key. Distances count by their first 52 bits: servers whose places have as many in
 * common do not come about by chance.
 */
export class Servers {
  readonly #self: { readonly place: Uint8Array; readonly self: string }
  readonly #ids: string[] = []
  readonly #known = new Set<string>()
  readonly #failed = new Set<number>()
  readonly #high: number[] = []
  readonly #low: number[] = []

  /** @param self - this node and its place: it keeps a record where it is among the closest, beside the others */
  constructor(self: { readonly place: Uint8Array; readonly self: string }) {
    this.#self = self
  }

  get size(): number {
    return this.#ids.length
  }

  get failed(): number {
    return this.#failed.size
  }

  add(peer: string, place: Uint8Array): void {
    if (this.#known.has(peer) || peer === this.#self.self) return
    this.#known.add(peer)
    this.#ids.push(peer)
    this.#high.push(wordAt(place, 0))
    this.#low.push(wordAt(place, 4))
  }

  /** The keys that each server is told of. */
  async closest(keys: readonly ProvidedKey[], most: number, signal: AbortSignal): Promise<Lists> {
    const lists: Lists = new Map()
    const turns = new Turns(signal)
    for (const [i, { multihash }] of keys.entries()) {
      for (const server of this.#closestTo(multihash, most, this.#failed, true)) put(lists, server, i)
      if (turns.due) await turns.take()
    }
    return lists
  }

  /** The servers that come in the place of those that failed, with the keys that were for these. */
  async instead(failed: readonly string[], keys: readonly ProvidedKey[], before: Lists, most: number, signal: AbortSignal): Promise<Lists> {
    const instead: Lists = new Map()
    const earlier = new Set(this.#failed)
    for (const server of failed) if (this.#known.has(server)) this.#failed.add(this.#ids.indexOf(server))
    const turns = new Turns(signal)
    const lost = new Set(failed.flatMap(server => before.get(server) ?? []))
    if (this.size - earlier.size <= most) return instead
    for (const i of lost) {
      const { multihash } = keys[i]!
      const asked = new Set(this.#closestTo(multihash, most, earlier, false))
      for (const server of this.#closestTo(multihash, most, this.#failed, false)) if (!asked.has(server)) put(instead, server, i)
      if (turns.due) await turns.take()
    }
    return instead
  }

  /** By insertion: a region has few servers, and each key is looked at once. */
  #closestTo(multihash: Uint8Array, most: number, without: ReadonlySet<number>, withSelf: boolean): string[] {
    const place = placeOf(multihash)
    const [high, low] = [wordAt(place, 0), wordAt(place, 4)]
    const nearest: number[] = []
    const distances: number[] = []
    for (let server = 0; server < this.#ids.length; server++) {
      if (without.has(server)) continue
      const distance = between(this.#high[server]!, this.#low[server]!, high, low)
      if (nearest.length >= most && distance >= distances[most - 1]!) continue
      let at = nearest.length < most ? nearest.length : most - 1
      for (; at > 0 && distances[at - 1]! > distance; at--) {
        nearest[at] = nearest[at - 1]!
        distances[at] = distances[at - 1]!
      }
      nearest[at] = server
      distances[at] = distance
    }
    const found = nearest.map(server => this.#ids[server]!)
    const { place: own, self } = this.#self
    if (withSelf && (found.length < most || between(wordAt(own, 0), wordAt(own, 4), high, low) < distances.at(-1)!)) found.push(self)
    return found
  }
}

function put(lists: Lists, server: string, i: number): void {
  const list = lists.get(server)
  if (list === undefined) lists.set(server, [i])
  else list.push(i)
}

function wordAt(place: Uint8Array, at: number): number {
  return ((place[at]! << 24) | (place[at + 1]! << 16) | (place[at + 2]! << 8) | place[at + 3]!) >>> 0
}

/** The distance of two places, of each the first 64 bits in two words. */
function between(high: number, low: number, otherHigh: number, otherLow: number): number {
  return ((high ^ otherHigh) >>> 0) * 2 ** 20 + ((low ^ otherLow) >>> 12)
}

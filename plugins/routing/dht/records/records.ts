import { encodeMultibase, multibaseByName } from '../../../../core/cid/index.ts'
import { KeyedLock } from '../../../../core/concurrency/index.ts'
import { type Datastore, type Logger, type RoutedPeer, routingErrors } from '../../../../core/index.ts'
import { routingPluginErrors } from '../../errors.ts'
import type { RoutingSettings } from '../../settings.ts'
import { Latest } from '../latest.ts'
import { KeptForOthers, type KeptLimits, type OnFull } from './kept.ts'
import { checkValue, isBetter, isOver } from './validators.ts'

type LimitSettings = Pick<RoutingSettings, 'maxRecords' | 'maxRecordBytes' | 'maxRecordsOfPeer' | 'maxProvidersOfBlock' | 'recordValidity'>

const base32 = multibaseByName('base32upper')
const text = (bytes: Uint8Array) => encodeMultibase(base32, bytes).slice(1)

/** Most addresses of a provider that are kept, and most characters of one and of all. */
export const [MOST_ADDRESSES, LONGEST_ADDRESS, MOST_CHARACTERS] = [64, 256, 2048]

/** The addresses of a provider that are kept: the first ones. */
function keptAddresses(addresses: readonly string[]): string[] {
  const kept: string[] = []
  let left = MOST_CHARACTERS
  for (const address of addresses) {
    if (kept.length === MOST_ADDRESSES) break
    if (address.length > Math.min(LONGEST_ADDRESS, left)) continue
    kept.push(address)
    left -= address.length
  }
  return kept
}

/** Tells in the log that records of a kind find no more room. */
export const tellingFull =
  (log: Logger, kind: string): OnFull =>
  (what, setting) =>
    log.warn(
      `as many ${what} of ${kind} are kept for peers as may be (${setting}): for new ones, the oldest of the address with the most give way`
    )

const limitsOf = (settings: LimitSettings): KeptLimits => ({
  count: settings.maxRecords,
  bytes: settings.maxRecordBytes,
  ofPeer: settings.maxRecordsOfPeer,
  validity: settings.recordValidity
})

/** The providers of blocks, as peers said of themselves. */
export class ProviderRecords {
  readonly kept: KeptForOthers
  readonly #self: string
  readonly #most: number

  constructor(datastore: Datastore, self: string, settings: LimitSettings, onFull?: OnFull) {
    this.kept = new KeptForOthers(datastore, '/dht/providers/', self, limitsOf(settings), { onFull })
    this.#self = self
    this.#most = settings.maxProvidersOfBlock
  }

  /**
   * Where a block has as many providers as are kept, the oldest of the network address with the most gives way to one of an address with fewer.
   *
   * @param origin - the network address that it comes from
   * @throws E_DHT_FULL
   */
  async add(multihash: Uint8Array, { id, addresses }: RoutedPeer, origin = id): Promise<void> {
    const name = `${text(multihash)}/${id}`
    if (id !== this.#self && (await this.kept.get(name)) === undefined) {
      const others = await this.kept.list(`${text(multihash)}/`, this.#most)
      if (others.length >= this.#most) await this.kept.remove(this.#oldestOfMost(others, origin).name)
    }
    await this.kept.put(name, id, Buffer.from(keptAddresses(addresses).join('\n')), origin)
  }

  /** @throws E_DHT_FULL where no address has more than the one that asks for room, and more than one */
  #oldestOfMost<R extends { readonly origin: string; readonly peer: string; readonly time: number }>(
    others: readonly R[],
    asks: string
  ): R {
    const byOrigin = Map.groupBy(
      others.filter(({ peer }) => peer !== this.#self),
      ({ origin }) => origin
    )
    let most: R[] = []
    for (const records of byOrigin.values()) if (records.length > most.length) most = records
    if (most.length <= Math.max(1, byOrigin.get(asks)?.length ?? 0))
      throw routingPluginErrors.E_DHT_FULL('providers of one block', this.#most, 'plugins.routing.maxProvidersOfBlock')
    return most.reduce((oldest, record) => (record.time < oldest.time ? record : oldest))
  }

  /** The node itself among them, without addresses, where it provides the block. */
  async of(multihash: Uint8Array): Promise<RoutedPeer[]> {
    const entries = await this.kept.list(`${text(multihash)}/`, this.#most + 1)
    return entries.map(({ peer, bytes }) => ({ id: peer, addresses: bytes.length === 0 ? [] : Buffer.from(bytes).toString().split('\n') }))
  }
}

/** Values of which is remembered that they are good: to check a signature takes longer than the rest of an answer. */
const MOST_CHECKED = 256

/** Values under their keys, of each the best that was seen. */
export class ValueRecords {
  readonly kept: KeptForOthers
  readonly #checked = new Latest<Uint8Array>(MOST_CHECKED)
  readonly #lock = new KeyedLock()

  constructor(datastore: Datastore, self: string, settings: LimitSettings, onFull?: OnFull) {
    this.kept = new KeptForOthers(datastore, '/dht/values/', self, limitsOf(settings), { onFull })
  }

  /** @returns undefined for none that is good any longer */
  async get(key: Uint8Array): Promise<{ readonly value: Uint8Array; readonly received: Date } | undefined> {
    const name = text(key)
    const entry = await this.kept.get(name)
    if (entry === undefined) return undefined
    try {
      const checked = this.#checked.get(name)
      if (checked === undefined || Buffer.compare(checked, entry.bytes) !== 0) await checkValue(key, entry.bytes)
      else if (isOver(key, entry.bytes)) return undefined
      this.#checked.set(name, entry.bytes)
      return { value: entry.bytes, received: new Date(entry.time) }
    } catch {
      return undefined
    }
  }

  /**
   * @param origin - the network address that it comes from
   * @throws E_ROUTING_RECORD, E_ROUTING_RECORD_OLDER, E_DHT_FULL
   */
  put(key: Uint8Array, value: Uint8Array, peer: string, origin?: string): Promise<void> {
    return this.#lock.run(text(key), async () => {
      await checkValue(key, value)
      const present = await this.get(key)
      if (present !== undefined && isBetter(key, present.value, value)) throw routingErrors.E_ROUTING_RECORD_OLDER()
      await this.kept.put(text(key), peer, value, origin)
    })
  }
}

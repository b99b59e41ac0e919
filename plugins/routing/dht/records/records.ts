import { encodeMultibase, multibaseByName } from '../../../../core/cid/index.ts'
import { KeyedLock } from '../../../../core/concurrency/index.ts'
import { type Datastore, type RoutedPeer, routingErrors } from '../../../../core/index.ts'
import { routingPluginErrors } from '../../errors.ts'
import type { RoutingSettings } from '../../settings.ts'
import { Latest } from '../latest.ts'
import { KeptForOthers, type KeptLimits } from './kept.ts'
import { checkValue, isBetter, isOver } from './validators.ts'

type LimitSettings = Pick<RoutingSettings, 'maxRecords' | 'maxRecordBytes' | 'maxRecordsOfPeer' | 'maxProvidersOfBlock' | 'recordValidity'>

const base32 = multibaseByName('base32upper')
const text = (bytes: Uint8Array) => encodeMultibase(base32, bytes).slice(1)

/** Most addresses of a provider that are kept. */
const MOST_ADDRESSES = 64

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

  constructor(datastore: Datastore, self: string, settings: LimitSettings) {
    this.kept = new KeptForOthers(datastore, '/dht/providers/', self, limitsOf(settings))
    this.#self = self
    this.#most = settings.maxProvidersOfBlock
  }

  /** @throws E_DHT_FULL */
  async add(multihash: Uint8Array, { id, addresses }: RoutedPeer): Promise<void> {
    const name = `${text(multihash)}/${id}`
    if (id !== this.#self && (await this.kept.get(name)) === undefined) {
      const others = await this.kept.list(`${text(multihash)}/`, this.#most)
      if (others.length >= this.#most)
        throw routingPluginErrors.E_DHT_FULL('providers of one block', this.#most, 'plugins.routing.maxProvidersOfBlock')
    }
    await this.kept.put(name, id, Buffer.from(addresses.slice(0, MOST_ADDRESSES).join('\n')))
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

  constructor(datastore: Datastore, self: string, settings: LimitSettings) {
    this.kept = new KeptForOthers(datastore, '/dht/values/', self, limitsOf(settings))
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

  /** @throws E_ROUTING_RECORD, E_ROUTING_RECORD_OLDER, E_DHT_FULL */
  put(key: Uint8Array, value: Uint8Array, peer: string): Promise<void> {
    return this.#lock.run(text(key), async () => {
      await checkValue(key, value)
      const present = await this.get(key)
      if (present !== undefined && isBetter(key, present.value, value)) throw routingErrors.E_ROUTING_RECORD_OLDER()
      await this.kept.put(text(key), peer, value)
    })
  }
}

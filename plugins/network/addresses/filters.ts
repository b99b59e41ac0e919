import { BlockList, isIPv4 } from 'node:net'
import type { AddressFilters, Repo } from '../../../core/index.ts'
import { ipOf, networkOf, parseRange, plainIp } from '../../../core/multiaddr/index.ts'
import { readOf } from '../config/checked.ts'

/** A range of addresses: what is asked of it, and how it is written. */
interface Range {
  readonly text: string
  readonly list: BlockList
}

/**
 * A filter, e.g. `/ip4/10.0.0.0/ipcidr/8`.
 *
 * @throws E_FILTER_FORMAT, E_FILTER_RANGE
 */
export function parseFilter(filter: string): Range {
  const { ip, bits } = parseRange(filter)
  const isV4 = isIPv4(ip)
  const list = new BlockList()
  list.addSubnet(ip, bits, isV4 ? 'ipv4' : 'ipv6')
  return { text: `/${isV4 ? 'ip4' : 'ip6'}/${networkOf(ip, bits)}/ipcidr/${bits}`, list }
}

/** Whether the address lies in the range, or the one of IPv4 that it writes as one of IPv6. */
export function inRange({ list }: Range, address: string): boolean {
  const ip = ipOf(address)
  if (ip === undefined) return false
  return [ip, plainIp(ip)].some(one => list.check(one, isIPv4(one) ? 'ipv4' : 'ipv6'))
}

/** Filters of the node configuration (`Swarm.AddrFilters`) and those added since. */
export class ConfiguredFilters implements AddressFilters {
  readonly #repo: Repo
  #ranges: Range[] = []

  constructor(repo: Repo) {
    this.#repo = repo
  }

  /** @throws E_PEER_OF_CONFIG */
  start(): void {
    const key = 'Swarm.AddrFilters'
    this.#ranges = unique((this.#repo.get<readonly string[]>(key) ?? []).map(filter => readOf(key, filter, parseFilter)))
  }

  list(): readonly string[] {
    return this.#ranges.map(({ text }) => text)
  }

  blocks(address: string): boolean {
    return this.#ranges.some(range => inRange(range, address))
  }

  async add(filters: readonly string[]): Promise<void> {
    this.#ranges = unique([...this.#ranges, ...filters.map(parseFilter)])
    await this.#change(known => [...new Set([...filters, ...known])])
  }

  async remove(filters: readonly string[]): Promise<readonly string[]> {
    const gone = new Set(filters.map(filter => parseFilter(filter).text))
    this.#ranges = this.#ranges.filter(({ text }) => !gone.has(text))
    const named = new Set(filters)
    let removed: string[] = []
    await this.#change(known => {
      removed = known.filter(filter => named.has(filter))
      return known.filter(filter => !named.has(filter))
    })
    return removed
  }

  async clear(): Promise<readonly string[] | undefined> {
    this.#ranges = []
    let before: readonly string[] = []
    await this.#change(known => {
      before = known
      return []
    })
    return before.length === 0 ? undefined : before
  }

  async #change(change: (known: readonly string[]) => readonly string[]): Promise<void> {
    await this.#repo.updateConfig(config => {
      const swarm = (config['Swarm'] ?? {}) as Readonly<Record<string, null | readonly string[]>>
      const next = change(swarm['AddrFilters'] ?? [])
      return { ...config, Swarm: { ...swarm, AddrFilters: next.length === 0 ? null : next } }
    })
  }
}

function unique(ranges: readonly Range[]): Range[] {
  return [...new Map(ranges.map(range => [range.text, range])).values()]
}

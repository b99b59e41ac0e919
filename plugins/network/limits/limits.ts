import type { Connection, Stream } from '@libp2p/interface'
import { parseBytes } from '../../../core/go/bytes.ts'
import { type NetworkLimits, networkErrors, type Repo, type Scope, type ScopeLimits, type Startable } from '../../../core/index.ts'
import { rangeOf } from '../../../core/multiaddr/index.ts'
import { isRelayed } from '../addresses/addresses.ts'
import { inRange, parseFilter } from '../addresses/filters.ts'
import { countOf, readOf } from '../config/checked.ts'
import { marksOf } from '../config/marks.ts'
import { networkPluginErrors } from '../errors.ts'
import { grown, PROTOCOLS, peerLimits, SERVICES, SPOKEN, wholeLimits } from './defaults.ts'
import { filesOfProcess, memoryOfMachine } from './machine.ts'
import { StreamMemory } from './memory.ts'
import { overridden, readOverrides } from './overrides.ts'
import { noUsage, type Usage, usageOf } from './usage.ts'

/** Limits of the system that have to leave room for what the connection manager lets be. */
const ABOVE_HIGH_WATER = ['conns', 'connsInbound', 'streams', 'streamsInbound'] as const

/** How much of the machine peers may take (`Swarm.ResourceMgr`): what is beyond is refused. */
export class ConfiguredLimits implements NetworkLimits, Startable {
  readonly #repo: Repo
  readonly #environment: NodeJS.ProcessEnv
  /** What the streams of peers may take of the memory. */
  readonly memory = new StreamMemory(() => this.#system)
  #connections: () => readonly Connection[] = () => []
  #allowed: (address: string) => boolean = () => false
  #system: ScopeLimits = {}
  #transient: ScopeLimits = {}
  #peer: ScopeLimits = {}
  #services = new Map<string, ScopeLimits>()
  #protocols = new Map<string, ScopeLimits>()
  #peers = new Map<string, ScopeLimits>()

  constructor(repo: Repo, environment: NodeJS.ProcessEnv) {
    this.#repo = repo
    this.#environment = environment
  }

  /** Whether anything is limited; the environment comes before the configuration. */
  get enabled(): boolean {
    const said = this.#environment['LIBP2P_RCMGR']
    if (said === '0' || said === 'false') return false
    if (said === '1' || said === 'true') return true
    return this.#repo.get<boolean | null>('Swarm.ResourceMgr.Enabled') ?? true
  }

  /** @throws E_LIMITS_FILE, E_LIMIT_TOO_LOW, E_PEER_OF_CONFIG */
  async start(): Promise<void> {
    if (!this.enabled) return
    const key = 'Swarm.ResourceMgr.MaxMemory'
    const text = this.#repo.get<string | null>(key)
    const memory = text ? Number(readOf(key, text, parseBytes)) : Math.floor(memoryOfMachine() / 2)
    const fd = countOf(this.#repo, 'Swarm.ResourceMgr.MaxFileDescriptors') ?? Math.floor((await filesOfProcess()) / 2)
    const said = await readOverrides(this.#repo.path)
    const marks = marksOf(this.#repo)
    const { system, transient } = wholeLimits(memory, fd, marks?.high ?? 0)
    const memoryMiB = Math.floor(memory / 2 ** 20)
    this.#system = overridden(system, said.System)
    this.#transient = overridden(transient, said.Transient)
    this.#peer = overridden(peerLimits(memoryMiB), said.PeerDefault)
    const both = (known: typeof SERVICES, configured: Readonly<Record<string, Parameters<typeof overridden>[1]>> = {}) => {
      const names = new Set([...Object.keys(known), ...Object.keys(configured)])
      return new Map(
        [...names].map(name => [name, overridden(known[name] === undefined ? {} : grown(known[name], memoryMiB), configured[name])])
      )
    }
    this.#services = both(SERVICES, said.Service)
    this.#protocols = both(PROTOCOLS, said.Protocol)
    this.#peers = new Map(Object.entries(said.Peer ?? {}).map(([peer, configured]) => [peer, overridden(this.#peer, configured)]))
    this.#allowed = allowlist(this.#repo.get<readonly string[] | null>('Swarm.ResourceMgr.Allowlist') ?? [])
    if (marks !== undefined) this.#refuseTooLow(marks.high)
  }

  /** The limits from now on. */
  watch(connections: () => readonly Connection[]): void {
    this.#connections = connections
  }

  get system(): Scope {
    return { limits: this.#system, isConfigured: true, usage: usageOf(this.#connections()) }
  }

  get transient(): Scope {
    return { limits: this.#transient, isConfigured: true, usage: noUsage() }
  }

  get services(): ReadonlyMap<string, Scope> {
    const used = (name: string) => usageOf(this.#connections(), ({ protocol }) => SPOKEN[name]?.includes(protocol) === true)
    return new Map([...this.#services].map(([name, limits]) => [name, { limits, isConfigured: true, usage: streamsOnly(used(name)) }]))
  }

  get protocols(): ReadonlyMap<string, Scope> {
    const live = this.#connections().flatMap(({ streams }) => streams.map(({ protocol }) => protocol))
    const names = new Set([...this.#protocols.keys(), ...live.filter(protocol => protocol !== '')])
    return new Map(
      [...names].map(name => {
        const usage = streamsOnly(usageOf(this.#connections(), ({ protocol }) => protocol === name))
        return [name, { limits: this.#protocols.get(name) ?? {}, isConfigured: this.#protocols.has(name), usage }]
      })
    )
  }

  get peers(): ReadonlyMap<string, Scope> {
    const found = new Map<string, Connection[]>()
    for (const one of this.#connections()) found.set(one.remotePeer.toString(), [...(found.get(one.remotePeer.toString()) ?? []), one])
    return new Map(
      [...found].map(([peer, connections]) => {
        const limits = this.#peers.get(peer)
        return [peer, { limits: limits ?? {}, isConfigured: limits !== undefined, usage: usageOf(connections) }]
      })
    )
  }

  /** Whether one more connection may come in from an address. */
  admits(address: string): boolean {
    if (!this.enabled || this.#allowed(address)) return true
    return hasRoom(this.#system, usageOf(this.#connections()), ['conns', 'connsInbound', 'fd'])
  }

  /** Whether a peer may have the connection that it has just opened, which is not counted yet. */
  admitsPeer(peer: string, address: string): boolean {
    if (!this.enabled || this.#allowed(address)) return true
    const connections = this.#connections().filter(({ remotePeer }) => remotePeer.toString() === peer)
    return hasRoom(this.#peers.get(peer) ?? this.#peer, usageOf(connections), ['conns', 'connsInbound'])
  }

  /** @throws E_NETWORK_LIMIT where no more connections may be opened */
  reserve(peer: string): void {
    if (!this.enabled) return
    const usage = usageOf(this.#connections())
    for (const name of ['conns', 'connsOutbound', 'fd'] as const) {
      if (!hasRoom(this.#system, usage, [name])) throw networkErrors.E_NETWORK_LIMIT('a connection', peer, this.#system[name]!)
    }
  }

  /** Tears a stream that is one too many. @returns why; undefined for one that may stay */
  refuseExcess(stream: Stream, peer: string): string | undefined {
    if (!this.enabled) return undefined
    const direction = stream.direction === 'inbound' ? 'streamsInbound' : 'streamsOutbound'
    const all = this.#connections()
    const usageOfPeer = () => usageOf(all.filter(({ remotePeer }) => remotePeer.toString() === peer))
    const scopes: ReadonlyArray<readonly [ScopeLimits, () => Usage]> = [
      [this.#system, () => usageOf(all)],
      [this.#protocols.get(stream.protocol) ?? {}, () => usageOf(all, ({ protocol }) => protocol === stream.protocol)],
      [this.#peers.get(peer) ?? this.#peer, usageOfPeer]
    ]
    for (const [limits, usage] of scopes) {
      if (limits.streams === undefined && limits[direction] === undefined) continue
      const used = usage()
      for (const name of ['streams', direction] as const) {
        const most = limits[name]
        if (most === undefined || used[name] <= most) continue
        stream.abort(networkErrors.E_NETWORK_LIMIT(`a stream of ${stream.protocol}`, peer, most))
        return `more than ${most} are open (Swarm.ResourceMgr)`
      }
    }
    return undefined
  }

  #refuseTooLow(highWater: number): void {
    if ((this.#repo.get<readonly string[] | null>('Swarm.ResourceMgr.Allowlist') ?? []).length > 0) return
    for (const name of ABOVE_HIGH_WATER) {
      const most = this.#system[name]
      if (most !== undefined && most <= highWater) {
        throw networkPluginErrors.E_LIMIT_TOO_LOW(`${name[0]!.toUpperCase()}${name.slice(1)}`, most, highWater)
      }
    }
  }
}

function hasRoom(limits: ScopeLimits, usage: Usage, names: ReadonlyArray<keyof ScopeLimits>): boolean {
  return names.every(name => limits[name] === undefined || usage[name] < limits[name]!)
}

/** Connections are counted by peers and the whole, not by what is spoken over them. */
function streamsOnly(usage: Usage): Usage {
  return { ...usage, conns: 0, connsInbound: 0, connsOutbound: 0, fd: 0 }
}

/** Whether an address is among those that are never refused: `/ip4/192.0.2.7`, or a range. A peer behind them is not looked at. */
function allowlist(list: readonly string[]): (address: string) => boolean {
  const ranges = list.map(text => readOf('Swarm.ResourceMgr.Allowlist', text, each => parseFilter(rangeOf(each))))
  return address => !isRelayed(address) && ranges.some(range => inRange(range, address))
}

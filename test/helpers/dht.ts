import { randomBytes } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import { Dhts, type DhtTable, type Json } from '../../core/index.ts'
import type { NodeHost } from '../../host/host.ts'
import { type OnlineNode, onlineNode } from './online.ts'
import { until } from './until.ts'

interface DhtOptions {
  readonly node?: Readonly<Record<string, Json>>
  /** Settings of the plugins. */
  readonly routing?: Readonly<Record<string, unknown>>
  readonly provide?: Readonly<Record<string, unknown>>
}

/** A node whose DHT is that of this machine, and which provides nothing by itself but what is added. */
export function dhtNode(t: ExecutionContext, { node = {}, routing = {}, provide = {} }: DhtOptions = {}): Promise<OnlineNode> {
  return onlineNode(t, {
    node: { 'Routing.Type': 'dht', 'Routing.LoopbackAddressesOnLanDHT': true, 'Reprovider.Interval': '0s', ...node },
    on: { routing, provide }
  })
}

/** Nodes in a line: each is connected with the next, has it in its table, and looks for no others by itself. */
export async function line(
  t: ExecutionContext,
  count: number,
  provide: Readonly<Record<string, unknown>> = {},
  node: Readonly<Record<string, Json>> = {}
): Promise<OnlineNode[]> {
  const nodes = await Promise.all(Array.from({ length: count }, () => dhtNode(t, { node, provide, routing: { fewPeers: 0 } })))
  for (let i = 1; i < count; i++) await nodes[i]!.network.dial(nodes[i - 1]!.network.self, nodes[i - 1]!.network.announced())
  for (const [i, { host }] of nodes.entries()) await tableOf(host, i === 0 || i === count - 1 ? 1 : 2)
  return nodes
}

/** Waits until a node has so many peers in its table of the own network. */
export function tableOf(host: NodeHost, least: number): Promise<DhtTable> {
  return until(`${least} peers are in the table`, () => {
    const { lan } = host.service(Dhts)!.current!
    return lan.buckets().reduce((sum, { peers }) => sum + peers.length, 0) >= least && lan
  })
}

/** An upload of one file of some random octets, or of these. */
export async function* file(bytes: Uint8Array = randomBytes(100)) {
  yield {
    path: '/file',
    kind: 'file' as const,
    headers: {},
    bytes: async function* () {
      yield bytes
    }
  }
}

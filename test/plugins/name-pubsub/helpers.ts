import { fetch } from '@libp2p/fetch'
import { gossipsub } from '@libp2p/gossipsub'
import { identify } from '@libp2p/identify'
import { multiaddr } from '@multiformats/multiaddr'
import type { ExecutionContext } from 'ava'
import { type Json, NameSubscriptions, Names, Pubsub } from '../../../core/index.ts'
import { parseName, routingKey } from '../../../core/ipns/index.ts'
import { topicOf } from '../../../plugins/name-pubsub/topic.ts'
import { libp2pNode } from '../../helpers/libp2p.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

export const namesOf = ({ host }: OnlineNode) => host.service(Names)!
export const pubsubOf = ({ host }: OnlineNode) => host.service(Pubsub)!
export const subscriptionsOf = ({ host }: OnlineNode) => host.service(NameSubscriptions)!

/** The topic of a name. */
export const topicOfName = (name: string) => topicOf(routingKey(parseName(name)))

/** A node whose names travel over pubsub alone, as nothing else leads to others. */
export function pubsubNode(
  t: ExecutionContext,
  settings: Readonly<Record<string, unknown>> = {},
  node: Readonly<Record<string, Json>> = {}
): Promise<OnlineNode> {
  return onlineNode(t, { node: { 'Routing.Type': 'none', 'Ipns.UsePubsub': true, ...node }, on: { 'name-pubsub': settings } })
}

/** Connects two nodes, and waits until each knows that the other speaks pubsub. */
export async function meet(a: OnlineNode, b: OnlineNode): Promise<void> {
  await a.network.dial(b.network.self, b.network.announced())
  await until('both know each other', () => pubsubOf(a).peers().includes(b.network.self) && pubsubOf(b).peers().includes(a.network.self))
}

/** Waits until a node knows that a peer has subscribed to a name. */
export async function knowsOf(node: OnlineNode, peer: string, name: string): Promise<void> {
  await until(`${peer} is known to have subscribed`, () => pubsubOf(node).peers(topicOfName(name)).includes(peer))
}

/** Plain js-libp2p with gossipsub and the fetch protocol. */
export async function plainPeer(t: ExecutionContext, node: OnlineNode) {
  const libp2p = await libp2pNode(t, {
    services: { identify: identify(), fetch: fetch(), pubsub: gossipsub({ allowPublishToZeroTopicPeers: true }) }
  })
  await libp2p.dial(multiaddr(node.addresses()[0]!))
  const id = libp2p.peerId.toString()
  const { pubsub } = libp2p.services
  await until('the node knows the peer', () => pubsubOf(node).peers().includes(id))
  await until('the peer knows the node', () => pubsub.getPeers().some(peer => peer.toString() === node.network.self))
  return { libp2p, id, pubsub, fetch: libp2p.services.fetch }
}

/**
 * 10,000 messages of 1 KiB among 5 hosts in one process, against the library's own nodes connected in the same way, in turns; and names over pubsub: the
 * time until another node has heard of what is published, and of looking for what it has not heard of yet, against publishing for oneself.
 */
import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import { gossipsub } from '@libp2p/gossipsub'
import { identify } from '@libp2p/identify'
import { tcp } from '@libp2p/tcp'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { Keys, Names, Network, Pubsub } from '../../core/index.ts'
import { startPeer } from '../support/peer.ts'
import { median, report, seconds } from '../support/report.ts'

const HOSTS = 5
const MESSAGES = 10_000
const DATA = 1024
const TOPIC = 'bench'
/** In so many parts, the two sides in turns. */
const TURNS = 4
/** Messages that are on their way at a time: more would count memory and not messages. */
const AT_ONCE = 100
const NAMES = 51
/** What the figures have to reach. */
const LIMITS = { messages: 0.5, heard: 6, found: 12 }

/** What takes part in a topic. */
interface Member {
  publish(data: Uint8Array): Promise<unknown>
  /** How many messages came. */
  readonly got: number
  peers(): number
  stop(): Promise<void>
}

async function bareMembers(): Promise<Member[]> {
  const nodes = await Promise.all(
    Array.from({ length: HOSTS }, () =>
      createLibp2p({
        addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
        transports: [tcp()],
        connectionEncrypters: [noise()],
        streamMuxers: [yamux()],
        services: { identify: identify(), pubsub: gossipsub({ emitSelf: true, allowPublishToZeroTopicPeers: true }) }
      })
    )
  )
  for (const [i, node] of nodes.entries()) for (const other of nodes.slice(0, i)) await node.dial(multiaddr(`${other.getMultiaddrs()[0]}`))
  return nodes.map(node => {
    const { pubsub } = node.services
    const member = {
      got: 0,
      publish: (data: Uint8Array) => pubsub.publish(TOPIC, data),
      peers: () => pubsub.getSubscribers(TOPIC).length,
      stop: async () => void (await node.stop())
    }
    pubsub.addEventListener('message', () => void member.got++)
    pubsub.subscribe(TOPIC)
    return member
  })
}

/** Names travel over pubsub. */
const OVER_PUBSUB = { 'Ipns.UsePubsub': true }

async function startHosts(count: number) {
  const hosts = await Promise.all(Array.from({ length: count }, () => startPeer(OVER_PUBSUB)))
  for (const [i, host] of hosts.entries()) {
    for (const other of hosts.slice(0, i)) {
      const network = other.service(Network)!
      await host.service(Network)!.dial(network.self, network.announced())
    }
  }
  return hosts
}

async function holdfastMembers(): Promise<Member[]> {
  const hosts = await startHosts(HOSTS)
  return hosts.map(host => {
    const pubsub = host.service(Pubsub)!
    const member = {
      got: 0,
      publish: (data: Uint8Array) => pubsub.publish(TOPIC, data),
      peers: () => pubsub.peers(TOPIC).length,
      stop: async () => void (await host.stop())
    }
    const read = async () => {
      for await (const _ of pubsub.subscribe(TOPIC)) member.got++
    }
    void read()
    return member
  })
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise(resolve => setTimeout(resolve, 1))
}

/** Has all members send their part, and waits until all have all. @returns messages a second */
async function exchange(members: readonly Member[]): Promise<number> {
  const first = members.map(({ got }) => got)
  const data = Buffer.alloc(DATA, 1)
  const time = await seconds(async () => {
    for (let sent = 0; sent < MESSAGES / TURNS; sent += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => members[i % members.length]!.publish(data)))
      await until(() => members.every(({ got }, i) => got - first[i]! >= sent + AT_ONCE))
    }
  })
  return MESSAGES / TURNS / time
}

const [bare, holdfast] = [await bareMembers(), await holdfastMembers()]
for (const members of [bare, holdfast]) await until(() => members.every(member => member.peers() === HOSTS - 1))
const rates = { bare: [] as number[], holdfast: [] as number[] }
for (let turn = 0; turn < TURNS; turn++) {
  rates.bare.push(await exchange(bare))
  rates.holdfast.push(await exchange(holdfast))
}
report({
  name: `${MESSAGES} messages of 1 KiB among ${HOSTS} hosts`,
  measured: median(rates.holdfast),
  against: median(rates.bare),
  unit: 'messages/s',
  atLeast: LIMITS.messages
})
await Promise.all([...bare, ...holdfast].map(member => member.stop()))

const [publisher, follower, late, alone] = await Promise.all([startHosts(3), startPeer(OVER_PUBSUB)]).then(([three, one]) => [
  ...three,
  one
])
const namesOf = (host: typeof publisher) => host!.service(Names)!
const times = { alone: [] as number[], heard: [] as number[], found: [] as number[] }
const milliseconds = async (work: () => Promise<unknown>) => (await seconds(work)) * 1000
for (let i = 0; i < NAMES; i++) {
  const key = `bench-${i}`
  const path = `/ipfs/bafkqaaa/${i}`
  await Promise.all([publisher, alone].map(host => host!.service(Keys)!.generate(key)))
  times.alone.push(await milliseconds(() => namesOf(alone).publish(path, { key, allowOffline: true })))
  const { name } = await namesOf(publisher).publish(`${path}/first`, { key })
  // in turns with what comes over the network: an answer that is remembered takes none
  const untilThere = async (wanted: string) => {
    while (
      (
        await namesOf(follower)
          .resolve(`/ipns/${name}`)
          .catch(() => undefined)
      )?.path !== wanted
    )
      await new Promise(resolve => setImmediate(resolve))
  }
  // subscribes
  await untilThere(`${path}/first`)
  times.heard.push(
    await milliseconds(async () => {
      await namesOf(publisher).publish(path, { key })
      await untilThere(path)
    })
  )
  times.found.push(await milliseconds(async () => void (await namesOf(late).resolve(`/ipns/${name}`))))
}
const less = { against: median(times.alone), unit: 'ms' }
report({
  name: 'a name published until another node has it, against publishing alone',
  measured: median(times.heard),
  atMost: LIMITS.heard,
  ...less
})
report({
  name: 'name/resolve of a name that is asked of peers, against publishing alone',
  measured: median(times.found),
  atMost: LIMITS.found,
  ...less
})
await Promise.all([publisher, follower, late, alone].map(host => host!.stop()))

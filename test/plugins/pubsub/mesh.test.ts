import test, { type ExecutionContext } from 'ava'
import { Pubsub } from '../../../core/index.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

const TOPIC = 'mesh'
const HOSTS = 20
/** Those that go, and as many that come. */
const THIRD = 7
/** Hosts after it on the ring that a host is connected with, besides as many before it. */
const NEIGHBOURS = 3
/** Messages of each sender before, while and after hosts go. */
const EACH = 20

/** A subscriber, and what it got: the numbers of each sender, in the order in which they came. */
interface Member {
  readonly node: OnlineNode
  readonly got: Map<string, number[]>
}

const pubsubOf = ({ host }: OnlineNode) => host.service(Pubsub)!

async function member(t: ExecutionContext): Promise<Member> {
  const node = await onlineNode(t, { on: { gossipsub: { enabled: true } } })
  const got = new Map<string, number[]>()
  const subscription = pubsubOf(node).subscribe(TOPIC)
  const read = async () => {
    for await (const { from, data } of subscription) {
      const numbers = got.get(from) ?? []
      got.set(from, numbers)
      numbers.push(Number(Buffer.from(data).toString()))
    }
  }
  read().catch(() => {})
  return { node, got }
}

/** Connects a member with others, and waits until all of them know that each of them listens. */
async function join(one: Member, others: readonly Member[]): Promise<void> {
  const { network } = one.node
  for (const { node } of others) await network.dial(node.network.self, node.network.announced())
  await until('its neighbours know that it listens', () =>
    others.every(
      ({ node }) => pubsubOf(node).peers(TOPIC).includes(network.self) && pubsubOf(one.node).peers(TOPIC).includes(node.network.self)
    )
  )
}

/** Each sender's next messages, one after the other, all senders at once. */
async function send(senders: readonly Member[], first: number): Promise<void> {
  for (let i = first; i < first + EACH; i++)
    await Promise.all(senders.map(({ node }) => pubsubOf(node).publish(TOPIC, Buffer.from(`${i}`))))
}

/** Waits until members have all messages of senders in a range of numbers, and holds that each came once, in its order. */
async function arrived(
  t: ExecutionContext,
  members: readonly Member[],
  senders: readonly Member[],
  first: number,
  end: number
): Promise<void> {
  const wanted = Array.from({ length: end - first }, (_, i) => first + i)
  const within = ({ got }: Member, { node }: Member) => (got.get(node.network.self) ?? []).filter(i => i >= first && i < end)
  await until('all is there', () => members.every(one => senders.every(sender => new Set(within(one, sender)).size === wanted.length)))
  for (const one of members) for (const sender of senders) t.deepEqual(within(one, sender), wanted)
}

test('in a mesh of 20 hosts of which a third go and others come, each message reaches every subscriber once, in the order of its sender', async t => {
  const members = await Promise.all(Array.from({ length: HOSTS }, () => member(t)))
  const around = (i: number, all: readonly Member[]) => Array.from({ length: NEIGHBOURS }, (_, n) => all[(i + n + 1) % all.length]!)
  for (const [i, one] of members.entries()) await join(one, around(i, members))
  const leaving = new Set(Array.from({ length: THIRD }, (_, i) => members[((i * HOSTS) / THIRD) | 0]!))
  const staying = members.filter(one => !leaving.has(one))
  const senders = staying.slice(0, 4)
  await send(senders, 0)
  await arrived(t, members, senders, 0, EACH)
  const gone = Promise.all([...leaving].map(({ node }) => node.host.stop()))
  await send(senders, EACH)
  await gone
  await arrived(t, staying, senders, EACH, 2 * EACH)
  const coming = await Promise.all(Array.from({ length: THIRD }, () => member(t)))
  for (const [i, one] of coming.entries()) await join(one, around(i, staying))
  const now = [...staying, ...coming]
  const all = [...senders, coming[0]!]
  await send(all, 2 * EACH)
  await arrived(t, now, all, 2 * EACH, 3 * EACH)
  for (const one of staying) for (const sender of senders) t.is(one.got.get(sender.node.network.self)!.length, 3 * EACH)
})

/** Listeners that come and go as fast as they can: what is sent afterwards reaches those that stayed, and those that came back. */
import test from 'ava'
import { Pubsub } from '../../../core/index.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'
import { droppedOf } from '../../plugins/pubsub/raw.ts'

const ROUNDS = 60
const pubsubOf = ({ host }: OnlineNode) => host.service(Pubsub)!

for (const router of ['gossipsub', 'floodsub']) {
  test.serial(
    `with ${router}, a node that listened and left many times gets what is sent by way of another, and so does one that stayed`,
    async t => {
      const one = () => onlineNode(t, { on: { gossipsub: { enabled: true } }, node: { 'Pubsub.Router': router } })
      const [sender, between, churning, staying] = (await Promise.all([one(), one(), one(), one()])) as [
        OnlineNode,
        OnlineNode,
        OnlineNode,
        OnlineNode
      ]
      for (const node of [sender, churning, staying]) await node.network.dial(between.network.self, between.network.announced())
      pubsubOf(between).subscribe('news')
      const got: string[] = []
      const read = async (node: OnlineNode, name: string) => {
        for await (const { data } of pubsubOf(node).subscribe('news')) got.push(`${name} ${Buffer.from(data)}`)
      }
      read(staying, 'staying').catch(() => {})
      await until(
        'all know who listens',
        () => pubsubOf(between).peers('news').includes(staying.network.self) && pubsubOf(sender).peers('news').length === 1
      )
      for (let round = 0; round < ROUNDS; round++) {
        const subscription = pubsubOf(churning).subscribe('news')
        if (round % 3 === 0) await new Promise(setImmediate)
        if (round % 10 === 0) await pubsubOf(sender).publish('news', Buffer.from(`of round ${round}`))
        subscription.close()
        if (round % 5 === 0) await new Promise(setImmediate)
      }
      read(churning, 'churning').catch(() => {})
      await until('the node between knows that it listens', () => pubsubOf(between).peers('news').includes(churning.network.self))
      await pubsubOf(sender).publish('news', Buffer.from('afterwards'))
      await until('both have what was sent afterwards', () => ['staying', 'churning'].every(name => got.includes(`${name} afterwards`)))
      // what comes by a detour comes later
      const rounds = () => got.filter(text => text.startsWith('staying of round'))
      await until('the one that stayed has all', () => rounds().length >= ROUNDS / 10)
      t.is(new Set(rounds()).size, rounds().length)
      t.is(await droppedOf(staying, 'invalid'), 0)
    }
  )
}

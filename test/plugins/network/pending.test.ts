import test from 'ava'
import { onlineNode } from '../../helpers/online.ts'

test('a connection that is secured takes no place of those that are not', async t => {
  const node = await onlineNode(t, { network: { maxPendingInbound: 2 } })
  for (let i = 1; i <= 3; i++) {
    const friend = await onlineNode(t)
    await friend.network.dial(node.network.self, node.network.announced())
  }
  t.is(new Set(node.network.connections().map(({ peer }) => peer)).size, 3)
})

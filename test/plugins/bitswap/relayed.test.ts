/** Blocks of peers that are reached over a relay alone, which carries little. */
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { Bitswap } from '../../../core/index.ts'
import { openRpc } from '../../../host/rpc/listener.ts'
import { decodeMessage } from '../../../plugins/bitswap/wire/decode.ts'
import { encodeMessage } from '../../../plugins/bitswap/wire/encode.ts'
import { frames } from '../../../plugins/bitswap/wire/frames.ts'
import { PROTOCOLS } from '../../../plugins/bitswap/wire/message.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'
import { added, bytesOf, connected, statOf } from './nodes.ts'

const HOP = '/libp2p/circuit/relay/0.2.0/hop'
const QUICK = { answerTimeout: 200, providerDelay: 100 }

async function relayNode(t: ExecutionContext): Promise<OnlineNode> {
  const relay = await onlineNode(t, {
    node: { 'Internal.Libp2pForceReachability': 'public', 'Swarm.RelayService.ConnectionDataLimit': 131_072 }
  })
  await until('the relay takes nodes in', () => relay.network.protocols().includes(HOP))
  return relay
}

/** A node with a place on the relay, and the address of that. */
async function placed(
  t: ExecutionContext,
  relay: OnlineNode,
  options: Parameters<typeof onlineNode>[1] = {}
): Promise<[OnlineNode, string]> {
  const node = await onlineNode(t, {
    ...options,
    node: { 'Addresses.Swarm': [], 'Swarm.RelayClient.StaticRelays': relay.addresses(), ...options.node }
  })
  return [
    node,
    await until('it has a place on the relay', () => node.network.announced().find(address => address.includes('/p2p-circuit')))
  ]
}

/** A node that knows another over the relay alone. */
async function relayed(t: ExecutionContext, hidden: OnlineNode, place: string): Promise<OnlineNode> {
  const near = await onlineNode(t, { node: { 'Addresses.Swarm': [] }, on: { bitswap: QUICK } })
  t.true((await near.network.dial(hidden.network.self, [place])).limited)
  await until('it knows that it speaks bitswap', () => statOf(near).peers.includes(hidden.network.self))
  return near
}

/** The answer of the RPC to `cat`. */
async function answerTo(t: ExecutionContext, { host }: OnlineNode, cid: string) {
  const rpc = await openRpc({
    calls: host.calls,
    repo: { get: () => undefined as never },
    host,
    logs: host.logs,
    addresses: ['/ip4/127.0.0.1/tcp/0']
  })
  t.teardown(() => rpc.close())
  const port = Number(rpc.addresses[0]!.split('/').at(-1))
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method: 'POST', path: `/api/v0/cat?arg=${cid}` }, response => {
      let text = ''
      response.on('data', data => {
        text += data
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode!, text }))
    })
    asked.on('error', reject)
    asked.end()
  })
}

test('a file with blocks that are larger than what a relay carries ends with an error that names the peer, not with an empty answer', async t => {
  const [hidden, place] = await placed(t, await relayNode(t))
  const near = await relayed(t, hidden, place)
  const cid = await added(hidden, randomBytes(400_000))
  const { status, text } = await answerTo(t, near, cid)
  t.is(status, 500)
  t.true(JSON.parse(text).Message.includes(`${hidden.network.self} has the block, and is reached over a relay alone`), text)
  t.true(Number(statOf(hidden).dataSent) < 1_000, 'none of the large blocks was sent')
  t.is(near.network.connections(hidden.network.self).length, 1, 'and the connection is still good for what is small')
  const small = randomBytes(40_000)
  t.true(small.equals(await bytesOf(near, 'cat', await added(hidden, small))))
})

test('who is reached over a relay alone is not asked for what others have', async t => {
  const [hidden, place] = await placed(t, await relayNode(t))
  const near = await relayed(t, hidden, place)
  const [one, two] = await Promise.all([onlineNode(t), onlineNode(t)])
  for (const other of [one, two]) await connected(near, other)
  const content = randomBytes(600_000)
  t.true(content.equals(await bytesOf(near, 'cat', await added(one, content))))
  t.is(Number(statOf(hidden).messagesReceived), 0)
})

test('a block of which the relayed connection breaks is an error, too, when nobody else has it', async t => {
  const [hidden, place] = await placed(t, await relayNode(t), { on: { bitswap: 'off' } })
  const asked: string[] = []
  for (const protocol of PROTOCOLS) {
    await hidden.network.handle(
      protocol,
      async stream => {
        for await (const bytes of frames(stream, { take() {}, give() {} }, () => {})) {
          for (const { cid, kind, cancel } of decodeMessage(bytes).wants()) {
            if (cancel) continue
            asked.push(kind)
            if (kind === 'block') for (const connection of hidden.network.connections(stream.peer)) connection.abort(new Error('gone'))
            else {
              const back = await hidden.network.open(stream.peer, PROTOCOLS)
              await back.write(encodeMessage({ wants: [], presences: [{ cid, have: true }], blocks: [] }, false))
              await back.end()
            }
          }
        }
      },
      { onLimited: true }
    )
  }
  const near = await relayed(t, hidden, place)
  const cid = await added(await onlineNode(t), randomBytes(1_000))
  await t.throwsAsync(bytesOf(near, 'cat', cid), { code: 'E_BITSWAP_RELAYED' })
  t.deepEqual(asked, ['have', 'block'])
  t.deepEqual(near.host.service(Bitswap)!.wantlist(), [])
})

test('a relayed connection gives way to a direct one when the peer is dialled by an address of its own', async t => {
  const [far, place] = await placed(t, await relayNode(t), { node: { 'Addresses.Swarm': ['/ip4/127.0.0.1/tcp/0'] } })
  const near = await relayed(t, far, place)
  const dead = '/ip4/127.0.0.1/tcp/1'
  t.true((await near.network.dial(far.network.self, [dead])).limited, 'the relayed one stays where there is no better')
  const direct = far.network.listening().find(address => address.includes('/tcp/') && !address.includes('/p2p-circuit'))!
  t.false((await near.network.dial(far.network.self, [direct])).limited)
  const content = randomBytes(600_000)
  t.true(content.equals(await bytesOf(near, 'cat', await added(far, content))), 'and much goes over it')
})

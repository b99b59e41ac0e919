import { ipns, pubSubIPNSRouting } from '@helia/ipns'
import { ed25519Crypto } from '@ipshipyard/crypto'
import { keychain } from '@ipshipyard/keychain'
import { defaultLogger } from '@libp2p/logger'
import test, { type ExecutionContext } from 'ava'
import { parseName, routingKey } from '../../../core/ipns/index.ts'
import { MemoryDatastore } from '../../../plugins/storage-memory/datastore.ts'
import { makeRecord } from '../../helpers/ipns.ts'
import type { OnlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'
import { knowsOf, meet, namesOf, plainPeer, pubsubNode, topicOfName } from './helpers.ts'

/** As Helia writes it, too. */
const PATH = '/ipfs/bafkqaaa'

const at = (name: string) => `/ipns/${name}`

/** Names of Helia over pubsub alone, on js-libp2p that is connected with the node. */
async function heliaNames(t: ExecutionContext, node: OnlineNode) {
  const peer = await plainPeer(t, node)
  const datastore = new MemoryDatastore() as never
  const logger = defaultLogger()
  const components = {
    datastore,
    logger,
    keychain: keychain()({ datastore, logger, getCrypto: () => ed25519Crypto() } as never),
    libp2p: peer.libp2p
  } as never
  const pubsub = pubSubIPNSRouting(components)
  await (pubsub as unknown as { start(): Promise<void> }).start()
  const nowhere = {
    async get() {
      throw new Error('there is no other way')
    },
    async put() {}
  }
  const events = new EventTarget()
  const names = ipns({ ...(components as object), routing: nowhere, events } as never, { routers: [pubsub] })
  return { ...peer, names }
}

test("what is published here resolves at Helia's names, and what Helia publishes resolves here", async t => {
  const node = await pubsubNode(t)
  const helia = await heliaNames(t, node)
  const { name } = await namesOf(node).publish(`${PATH}/1`)
  await until('Helia knows who listens', () => helia.pubsub.getSubscribers(topicOfName(name)).length > 0)
  const first = async (options = {}) => {
    for await (const { value } of helia.names.resolve(at(name), options)) return value
    return undefined
  }
  t.is(await first(), `${PATH}/1`)
  await knowsOf(node, helia.id, name)
  await namesOf(node).publish(`${PATH}/2`)
  await until('Helia has heard of the next', async () => (await first({ nocache: false })) === `${PATH}/2`)

  const published = await helia.names.publish('theirs', `${PATH}/3`, { offline: true })
  const theirs = published.name.slice('/ipns/'.length)
  helia.pubsub.subscribe(topicOfName(theirs))
  await knowsOf(node, helia.id, theirs)
  t.is((await namesOf(node).resolve(published.name)).path, `${PATH}/3`, 'asked for by the fetch protocol')
  await until('Helia knows who listens', () => helia.pubsub.getSubscribers(topicOfName(theirs)).length > 0)
  await helia.names.publish('theirs', `${PATH}/4`)
  await until('the next is heard of', async () => (await namesOf(node).resolve(published.name)).path === `${PATH}/4`)
})

test('records of the package ipns travel over js-libp2p, by gossipsub and by the fetch protocol, both ways', async t => {
  const [node, behind] = await Promise.all([pubsubNode(t), pubsubNode(t)])
  await meet(node, behind)
  const { pubsub, fetch, libp2p, id } = await plainPeer(t, node)
  const { name, record } = await makeRecord()
  const key = routingKey(parseName(name))
  await t.throwsAsync(namesOf(behind).resolve(at(name)))
  await t.throwsAsync(namesOf(node).resolve(at(name)))
  await knowsOf(node, behind.network.self, name)
  await until('the peer knows who listens', () => pubsub.getSubscribers(topicOfName(name)).length === 1)
  t.is(await fetch.fetch(libp2p.getPeers()[0]!, key), undefined, 'there is none yet')
  const first = await record(1n)
  await pubsub.publish(topicOfName(name), first)
  await until('it went through the node to the one behind', async () => (await namesOf(behind).record(name)) !== undefined)
  t.deepEqual(Buffer.from((await fetch.fetch(libp2p.getPeers()[0]!, key))!), Buffer.from(first))
  const second = await record(2n)
  fetch.registerLookupFunction('/ipns/', async () => second)
  pubsub.subscribe(topicOfName(name))
  await knowsOf(node, id, name)
  await until('who joins is asked', async () => Buffer.compare((await namesOf(node).record(name))!, second) === 0)
  t.pass()
})

import { createHash } from 'node:crypto'
import test from 'ava'
import type { PeerStream } from '../../../core/index.ts'
import { MESSAGE, writeMessage } from '../../../plugins/routing/dht/message.ts'
import { DhtServer, type ServerParts } from '../../../plugins/routing/dht/server.ts'
import { loadLibraries } from '../../../plugins/routing/libraries.ts'
import { turnsOf } from '../../helpers/turns.ts'

const REQUESTS = 20_000

test('a peer that sends thousands of requests at once leaves others their turn', async t => {
  const libraries = await loadLibraries()
  let serve: ((stream: PeerStream) => Promise<void>) | undefined
  const asked: string[] = []
  const network = {
    self: 'self',
    handle: async (_: string, handler: (stream: PeerStream) => Promise<void>) => {
      serve = handler
      return async () => {}
    },
    connections: (peer: string) => {
      asked.push(peer)
      return []
    }
  }
  const engine = { closest: () => [], addressesOf: async () => ({ addresses: [] }) }
  const settings = { maxStreams: 8, maxRequest: 65_536, idleTimeout: 60_000 }
  const log = { debug() {}, warn() {}, error() {}, info() {} }
  const rules = { protocol: '/ipfs/lan/kad/1.0.0' }
  const server = new DhtServer({ network, libraries, rules, engine, settings, log } as unknown as ServerParts)
  await server.start()

  const key = (i: number) => createHash('sha256').update(String(i)).digest()
  const frames = Array.from({ length: REQUESTS }, (_, i) => {
    const message = writeMessage({ type: MESSAGE.FIND_NODE, key: key(i), closer: [], providers: [] }, libraries)
    return Buffer.concat([Buffer.from([message.length]), message])
  })
  let answered = 0
  const stream = {
    peer: 'peer',
    abort() {},
    async write() {
      answered++
    },
    async *[Symbol.asyncIterator]() {
      yield Buffer.concat(frames)
    }
  }
  const turns = await turnsOf(() => serve!(stream as unknown as PeerStream))
  t.is(answered, REQUESTS)
  t.true(turns > 2, `${turns} turns`)
  t.deepEqual(asked, [], 'keys that are no peers are looked for among connections')
})

import test from 'ava'
import type { Logger, Network, PeerConnection, PeerStream } from '../../../core/index.ts'
import { MESSAGE, writeMessage } from '../../../plugins/routing/dht/message.ts'
import { DhtServer, type ServerParts } from '../../../plugins/routing/dht/server.ts'
import { loadLibraries } from '../../../plugins/routing/libraries.ts'

const PEER = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'

test('a peer whose request came in two parts, and who is slow to read the answer, loses the stream and no connection', async t => {
  const libraries = await loadLibraries()
  let serve: ((stream: PeerStream) => Promise<void> | void) | undefined
  let dropped = 0
  const connection = { abort: () => void dropped++ } as unknown as PeerConnection
  const network = {
    connections: () => [connection],
    async handle(_: string, handler: typeof serve) {
      serve = handler
      return async () => {}
    }
  } as unknown as Network
  const log = { debug() {}, warn() {} } as unknown as Logger
  const settings = { maxStreams: 8, maxRequest: 1000, idleTimeout: 50 }
  await new DhtServer({ network, libraries, rules: { protocol: '/kad' }, settings, log } as unknown as ServerParts).start()
  const ping = writeMessage({ type: MESSAGE.PING, key: Buffer.from('a key'), closer: [], providers: [] }, libraries)
  const wire = Buffer.concat([Buffer.from([ping.length]), ping])
  const stream: PeerStream = {
    protocol: '/kad',
    peer: PEER,
    write: (_, { signal } = {}) => new Promise((_, fail) => signal?.addEventListener('abort', () => fail(signal.reason))),
    async end() {},
    abort() {},
    async *[Symbol.asyncIterator]() {
      yield wire.subarray(0, 3)
      yield wire.subarray(3)
    }
  }
  await t.throwsAsync(async () => serve!(stream))
  t.is(dropped, 0)
})

/** Messages go both ways over gossipsub, each once and whole. */
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import { until } from '../helpers/until.ts'
import { file } from './nodes/content.ts'
import { along, eachPair, join, WAYS } from './nodes/pairs.ts'
import type { Peer } from './nodes/peer.ts'

const MESSAGES = 50

const encoded = (bytes: Uint8Array | string) => `u${Buffer.from(bytes).toString('base64url')}`

interface Message {
  readonly from: string
  readonly data: string
}

/** Listens to a topic until the test ends. */
async function listen(t: ExecutionContext, peer: Peer, topic: string): Promise<Message[]> {
  const stop = new AbortController()
  const got: Message[] = []
  // the head of the answer may come with the first message
  const listening = peer.open(`pubsub/sub?arg=${encoded(topic)}`, undefined, stop.signal).then(response => {
    response.on('error', () => {})
    createInterface(response)
      .on('line', line => got.push(JSON.parse(line) as Message))
      .on('error', () => {})
  })
  listening.catch(() => {})
  t.teardown(() => stop.abort())
  await until('it listens', async () => (await peer.json<{ Strings: string[] | null }>('pubsub/ls')).Strings?.includes(encoded(topic)))
  return got
}

eachPair(
  (version, transport, pair) => {
    for (const way of WAYS) {
      test.serial(`${MESSAGES} of ${MESSAGES} messages come ${way} Kubo ${version} over ${transport}`, async t => {
        const [teller, listener] = along(way, await pair())
        const topic = `${way} ${version} ${transport}`
        await join(listener, teller, transport)
        await listen(t, teller, topic)
        const got = await listen(t, listener, topic)
        for (const [one, other] of [
          [teller, listener],
          [listener, teller]
        ] as const) {
          const peers = async () => (await one.json<{ Strings: string[] | null }>(`pubsub/peers?arg=${encoded(topic)}`)).Strings
          await until('each knows that the other listens', async () => (await peers())?.includes(other.id))
        }
        const sent = Array.from({ length: MESSAGES }, (_, i) => Buffer.concat([Buffer.from([0, 255, i]), Buffer.alloc(1000, `${i} `)]))
        for (const [i, message] of sent.entries()) {
          await teller.ask(`pubsub/pub?arg=${encoded(topic)}`, file(message))
          // Kubo looks at many messages at a time, and drops what was sent before one that it has taken already, of its own kind as well
          if (listener.program !== 'holdfast') await until('it is there', () => got.length > i)
        }
        await until('all are there', () => got.length >= MESSAGES)
        t.deepEqual(got.map(({ data }) => data).sort(), sent.map(encoded).sort())
        t.deepEqual(new Set(got.map(({ from }) => from)), new Set([teller.id]))
      })
    }
  },
  { 'Pubsub.Enabled': true }
)

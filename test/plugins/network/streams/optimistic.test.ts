import type { Stream } from '@libp2p/interface'
import { streamPair } from '@libp2p/utils'
import test from 'ava'
import { begin } from '../../../../plugins/network/streams/optimistic.ts'
import { Libp2pStream } from '../../../../plugins/network/streams/stream.ts'
import { onlineNode } from '../../../helpers/online.ts'
import { gathered } from '../../../helpers/streams.ts'
import { until } from '../../../helpers/until.ts'

const LINES = '\x13/multistream/1.0.0\n\x06/test\n'

/** Two ends of a stream, the first with the protocol `/test` begun at once, and the messages that come to the other. */
async function begun() {
  const [ours, theirs] = await streamPair()
  const came: string[] = []
  theirs.addEventListener('message', ({ data }) => void came.push(Buffer.from(data.subarray()).toString('latin1')))
  begin(ours, '/test')
  return { ours: new Libp2pStream(ours, 'peer'), theirs, came }
}

const send = (stream: Stream, text: string) => void stream.send(Buffer.from(text, 'latin1'))

test('the first octets go out with the lines of the protocol, and what comes behind the answer is read', async t => {
  const { ours, theirs, came } = await begun()
  t.is(ours.protocol, '/test')
  await ours.write(Buffer.from('question'))
  await until('it has come', () => came.length > 0)
  t.deepEqual(came, [`${LINES}question`])
  // the answer comes in pieces, the last of them with the message
  for (const part of [LINES.slice(0, 1), LINES.slice(1, 25), `${LINES.slice(25)}ans`, 'wer']) send(theirs, part)
  await theirs.close()
  t.is((await gathered(ours)).toString(), 'answer')
})

test('the lines go out by themselves where nothing is sent at once, and before an end', async t => {
  const waiting = await begun()
  await until('the lines have come', () => waiting.came.length > 0)
  t.deepEqual(waiting.came, [LINES])
  send(waiting.theirs, `${LINES}first`)
  for await (const part of waiting.ours) {
    t.is(Buffer.from(part).toString(), 'first')
    break
  }
  await waiting.ours.write(Buffer.from('second'))
  await until('what is sent later comes as it is', () => waiting.came.length === 2)
  t.is(waiting.came[1], 'second')
  const ending = await begun()
  await ending.ours.end()
  await until('it has ended', () => ending.theirs.remoteWriteStatus === 'closed')
  t.deepEqual(ending.came, [LINES])
})

for (const [what, answer] of [
  ['says no', '\x13/multistream/1.0.0\n\x03na\n'],
  ['says something else', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
  ['says half of it and ends', LINES.slice(0, 10)],
  ['ends', '']
] as const)
  test(`a stream whose peer ${what} is an error to who reads it`, async t => {
    const { ours, theirs } = await begun()
    if (answer !== '') send(theirs, answer)
    await theirs.close().catch(() => {})
    await t.throwsAsync(gathered(ours), { code: 'E_STREAM', message: /could not negotiate \/test/ })
  })

test('peers that know each other speak without waiting, and one that has given up a protocol is refused', async t => {
  const [a, b] = await Promise.all([onlineNode(t), onlineNode(t)])
  const echo = await b.network.handle('/test', async stream => {
    for await (const part of stream) await stream.write(part)
  })
  await a.network.dial(b.network.self, b.network.announced())
  for (const text of ['one', 'two']) {
    const stream = await a.network.open(b.network.self, ['/other', '/test'])
    t.is(stream.protocol, '/test')
    await stream.write(Buffer.from(text))
    await stream.end()
    t.is((await gathered(stream)).toString(), text)
  }
  await t.throwsAsync(a.network.open(b.network.self, '/other'), { code: 'E_PROTOCOL' })
  await echo()
  await until('it is told', async () => !(await a.network.peer(b.network.self))!.protocols.includes('/test'))
  await t.throwsAsync(a.network.open(b.network.self, '/test'), { code: 'E_PROTOCOL' })
})

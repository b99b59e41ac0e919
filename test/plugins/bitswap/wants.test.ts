import test from 'ava'
import { type AskedPeer, PeerAsks } from '../../../plugins/bitswap/client/asks.ts'
import { Wants } from '../../../plugins/bitswap/client/wants.ts'
import { keyOf } from '../../../plugins/bitswap/wire/message.ts'
import { type Sample, samples } from '../storage/samples.ts'

/** Wants with a clock that is set by hand, and peers that record what they are asked. */
function wanting(...names: string[]) {
  let now = 1000
  const asked: string[] = []
  const peers = new Map<string, AskedPeer>()
  const wants = new Wants({
    peers,
    answerTimeout: 5000,
    rebroadcast: 60_000,
    providerDelay: 60_000,
    now: () => now,
    search() {},
    lost: () => new Error('lost')
  })
  for (const id of names) {
    const ask: AskedPeer['ask'] = (cid, kind) => void (kind === 'block' && asked.push(`${id} ${keyOf(cid)}`))
    const peer = { id, asks: new PeerAsks(256), isLimited: false, ask, cancel() {} }
    peers.set(id, peer)
    wants.added(peer)
  }
  return {
    wants,
    askedFor: ({ cid }: Sample) => asked.filter(one => one.endsWith(` ${keyOf(cid)}`)).map(one => one.split(' ')[0]!),
    /** Time goes by, as it does where the node is not held up. */
    pass(time: number) {
      for (const end = now + time; now < end; ) {
        now = Math.min(end, now + 250)
        wants.tick()
      }
    },
    /** Time goes by of which the node sees nothing. */
    sleep(time: number) {
      now += time
      wants.tick()
    },
    has: (id: string, { cid }: Sample) => wants.presence(peers.get(id)!, keyOf(cid), true),
    sends(id: string, { cid, bytes }: Sample) {
      const { asks } = peers.get(id)!
      const ask = asks.remove(keyOf(cid))
      asks.heard(now)
      asks.answered(true, ask?.at)
      wants.found(keyOf(cid), bytes, id)
    }
  }
}

/** The first peer has sent a block in this time, and is asked for the second that both have. */
async function afterOne(time: number) {
  const [first, second] = samples(2) as [Sample, Sample]
  const node = wanting('a', 'b')
  const one = node.wants.get(first.cid)
  node.has('a', first)
  node.pass(time)
  node.sends('a', first)
  await one
  const two = node.wants.get(second.cid)
  node.has('a', second)
  node.has('b', second)
  return { ...node, second, two }
}

test('who is silent for much longer than it was before, while it is asked for a block, leaves it to others soon', async t => {
  const { pass, askedFor, sends, second, two } = await afterOne(20)
  t.deepEqual(askedFor(second), ['a'])
  pass(1250)
  t.deepEqual(askedFor(second), ['a', 'b'])
  sends('b', second)
  t.deepEqual(Buffer.from(await two), Buffer.from(second.bytes))
})

test('who always takes its time is left to itself for as long as answerTimeout says', async t => {
  const { pass, askedFor, second } = await afterOne(4000)
  pass(4500)
  t.deepEqual(askedFor(second), ['a'])
  pass(750)
  t.deepEqual(askedFor(second), ['a', 'b'])
})

test('a node that was held up itself gives its peers the time to be heard', async t => {
  const { sleep, pass, askedFor, second } = await afterOne(20)
  sleep(3000)
  t.deepEqual(askedFor(second), ['a'])
  pass(500)
  t.deepEqual(askedFor(second), ['a', 'b'])
})

test('blocks of one session that each have a signal of their own are asked for of who had one, and are left one by one', async t => {
  const [first, second, third] = samples(3) as [Sample, Sample, Sample]
  const { wants, has, sends, pass, askedFor } = wanting('a', 'b')
  const session = {}
  const signals = Array.from({ length: 3 }, () => new AbortController())
  const one = wants.get(first.cid, signals[0]!.signal, session)
  has('a', first)
  pass(20)
  sends('a', first)
  await one
  const [two, three] = [second, third].map((block, i) => wants.get(block.cid, signals[i + 1]!.signal, session)) as [
    Promise<Uint8Array>,
    Promise<Uint8Array>
  ]
  t.deepEqual([askedFor(second), askedFor(third)], [['a'], ['a']])
  signals[1]!.abort(new Error('it is here'))
  await t.throwsAsync(two, { message: 'it is here' })
  t.deepEqual(wants.cids().map(String), [String(third.cid)])
  sends('a', third)
  t.deepEqual(Buffer.from(await three), Buffer.from(third.bytes))
  t.is(wants.size, 0)
})

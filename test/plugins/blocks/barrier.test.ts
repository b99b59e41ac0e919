import test from 'ava'
import type { CID } from 'multiformats/cid'
import { Barrier } from '../../../plugins/blocks/barrier.ts'
import { Fingerprints, fingerprintOf } from '../../../plugins/blocks/fingerprints.ts'
import { cidOf, hashOf, held, isSettled } from './settled.ts'

test('a removal keeps what was stored under a lease before it began, until the lease is released', t => {
  const barrier = new Barrier()
  const lease = barrier.hold()
  barrier.storing(hashOf('a'))
  const removal = barrier.removal()
  t.true(removal.keeps(hashOf('a')))
  t.false(removal.keeps(hashOf('b')))
  t.false(removal.hasSeen(hashOf('a')))
  lease.release()
  lease.release()
  t.false(removal.keeps(hashOf('a')))
})

test('a removal keeps what is stored while it is under way, by whomever, to its end', t => {
  const barrier = new Barrier()
  const removal = barrier.removal()
  const lease = barrier.hold()
  barrier.storing(hashOf('a'))
  lease.release()
  t.true(removal.keeps(hashOf('a')))
  t.true(removal.hasSeen(hashOf('a')))
})

test('nothing is remembered of what was stored while nobody held anything', t => {
  const barrier = new Barrier()
  t.is(barrier.storing(hashOf('a')), undefined)
  t.false(barrier.removal().keeps(hashOf('a')))
})

test('calls that overlap without end keep only what was stored since the oldest of them began', t => {
  const barrier = new Barrier()
  let lease = barrier.hold()
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 5000; i++) barrier.storing(hashOf(`${round}/${i}`))
    const next = barrier.hold()
    lease.release()
    lease = next
  }
  const removal = barrier.removal()
  t.false(removal.keeps(hashOf('0/0')))
  t.false(removal.keeps(hashOf('3/4999')))
  barrier.storing(hashOf('last'))
  t.true(removal.keeps(hashOf('last')))
})

test('an old lease keeps what was stored in all the time since, however many began and ended meanwhile', t => {
  const barrier = new Barrier()
  const old = barrier.hold()
  for (let round = 0; round < 4; round++) {
    const lease = barrier.hold()
    const removal = barrier.removal()
    for (let i = 0; i < 4500; i++) barrier.storing(hashOf(`${round}/${i}`))
    removal.release()
    lease.release()
  }
  const removal = barrier.removal()
  t.true([0, 1, 2, 3].every(round => removal.keeps(hashOf(`${round}/0`)) && removal.keeps(hashOf(`${round}/4499`))))
  t.false(removal.keeps(hashOf('other')))
  old.release()
  t.false(removal.keeps(hashOf('0/0')))
})

/** A barrier while blocks are being removed, until `go` is called. */
function whileRemoving() {
  const barrier = new Barrier()
  const removal = barrier.removal()
  const { until, go } = held()
  const removing = removal.run(
    async () => {},
    () => until
  )
  return { barrier, removal, removing, go }
}

test('who stores waits while blocks are being removed, and for that alone', async t => {
  const { barrier, removing, go } = whileRemoving()
  const waiting = barrier.storing(hashOf('a'))
  t.true(waiting instanceof Promise)
  t.false(await isSettled(waiting!))
  go()
  await removing
  await waiting
  t.is(barrier.storing(hashOf('b')), undefined)
})

test('what fails while blocks are removed lets the others go on', async t => {
  const barrier = new Barrier()
  const removal = barrier.removal()
  await t.throwsAsync(
    removal.run(
      async () => {},
      () => Promise.reject(new Error('the store is broken'))
    ),
    { message: 'the store is broken' }
  )
  t.is(barrier.storing(hashOf('a')), undefined)
})

test('two who remove do so one after the other', async t => {
  const barrier = new Barrier()
  const [one, two] = [barrier.removal(), barrier.removal()]
  const { until, go } = held()
  let began = false
  const first = one.run(
    async () => {},
    () => until
  )
  const second = two.run(
    async () => {},
    async () => {
      began = true
    }
  )
  t.false(await isSettled(second))
  t.false(began)
  go()
  await Promise.all([first, second])
  t.true(began)
})

test('roots that are announced are looked at once before blocks are removed, those from before as well', async t => {
  const barrier = new Barrier()
  const before = await barrier.announce({ cid: cidOf('before'), recursive: true })
  const ended = await barrier.announce({ cid: cidOf('ended'), recursive: true })
  ended.release()
  const removal = barrier.removal()
  const during = await barrier.announce({ cid: cidOf('during'), recursive: false })
  during.release()
  before.release()
  const seen: string[] = []
  const look = async ({ cid }: { cid: CID }) => {
    seen.push(cid.toString())
    if (seen.length === 1) await barrier.announce({ cid: cidOf('meanwhile'), recursive: true })
  }
  await removal.run(look, async () => {
    t.deepEqual(seen, ['before', 'during', 'meanwhile'].map(cidOf).map(String))
  })
  await removal.run(look, async () => {})
  t.is(seen.length, 3)
})

test('an announcement while blocks are being removed waits for these, and is looked at before the next', async t => {
  const { barrier, removal, removing, go } = whileRemoving()
  const announcing = barrier.announce({ cid: cidOf('a'), recursive: true })
  t.false(await isSettled(announcing))
  go()
  await removing
  await announcing
  const seen: string[] = []
  await removal.run(
    async ({ cid }) => void seen.push(cid.toString()),
    async () => {}
  )
  t.deepEqual(seen, [cidOf('a').toString()])
})

test('a block is in use by those who stored it under a signal or a lease of their own, and by no others', async t => {
  const barrier = new Barrier()
  const [mine, other] = [new AbortController(), new AbortController()]
  const lease = barrier.hold({ signal: mine.signal })
  barrier.hold({ signal: other.signal })
  const announced = await barrier.announce({ cid: cidOf('root'), recursive: true })
  barrier.storing(hashOf('a'), { signal: mine.signal })
  barrier.storing(hashOf('b'), { signal: new AbortController().signal, lease: announced })
  barrier.storing(hashOf('c'), { signal: new AbortController().signal })
  const removal = barrier.removal()
  const a = removal.inUse(hashOf('a'))
  const b = removal.inUse(hashOf('b'))
  t.false(await isSettled(a!))
  lease.release()
  t.true(await isSettled(a!))
  t.is(removal.inUse(hashOf('a')), undefined)
  t.false(await isSettled(b!))
  announced.release()
  t.true(await isSettled(b!))
  t.is(removal.inUse(hashOf('c')), undefined)
})

test('what nobody signed is in use by those who hold a lease without a signal', async t => {
  const barrier = new Barrier()
  const lease = barrier.hold()
  barrier.storing(hashOf('a'), { signal: new AbortController().signal })
  const removal = barrier.removal()
  const used = removal.inUse(hashOf('a'))
  t.false(await isSettled(used!))
  lease.release()
  t.true(await isSettled(used!))
})

test('fingerprints are folded into a filter of fixed size that forgets none of them', t => {
  const prints = new Fingerprints()
  const others = new Fingerprints()
  let x = 1
  const next = () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    return x || 1
  }
  const some: number[] = []
  for (let i = 0; i < 4_000_000; i++) {
    const print = next()
    prints.add(print)
    if (i % 1000 === 0) some.push(print)
  }
  t.true(some.every(print => prints.has(print)))
  let wrong = 0
  for (let i = 0; i < 10_000; i++) if (prints.has(next())) wrong++
  t.true(wrong < 1000)
  others.add(7)
  others.addAll(prints)
  t.true(others.has(7) && some.every(print => others.has(print)))
})

test('a fingerprint is of the end of the digest, and never 0', t => {
  t.is(fingerprintOf(Uint8Array.of(0x12, 4, 1, 2, 3, 4)), 0x01020304)
  t.is(fingerprintOf(Uint8Array.of(0x12, 4, 0, 0, 0, 0)), 1)
  t.is(fingerprintOf(Uint8Array.of(0x12, 4, 255, 255, 255, 255)), 0xffffffff)
})

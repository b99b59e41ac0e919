import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import fc from 'fast-check'
import { KeyedLock } from '../../../core/keyed-lock.ts'
import { decodeValue, fileValue, inlineValue, segmentValue, sizeOfValue } from '../../../plugins/storage-rocksdb/blocks/values.ts'
import { GroupCommit, SharedRun } from '../../../plugins/storage-rocksdb/database/group-commit.ts'
import { ValueCache } from '../../../plugins/storage-rocksdb/database/value-cache.ts'
import { Gate } from '../../../plugins/storage-rocksdb/gate.ts'

/** A promise that is settled from outside. */
function deferred() {
  return Promise.withResolvers<void>()
}

test('writes of the same moment share a batch, and so do those that come while one is written', async t => {
  const batches: number[][] = []
  const first = deferred()
  const commit = new GroupCommit<number>(async items => {
    batches.push([...items])
    if (batches.length === 1) await first.promise
  })
  const early = [commit.add([1, 2]), commit.add([3])]
  await setImmediate()
  const late = [commit.add([4]), commit.add([5, 6])]
  await setImmediate()
  t.deepEqual(batches, [[1, 2, 3]])
  first.resolve()
  await Promise.all([...early, ...late])
  t.deepEqual(batches, [
    [1, 2, 3],
    [4, 5, 6]
  ])
})

test('a batch that fails is reported to everybody in it and to nobody else', async t => {
  const commit = new GroupCommit<string>(async items => {
    if (items.includes('bad')) throw new Error('no space')
  })
  const together = [commit.add(['good']), commit.add(['bad'])]
  await setImmediate()
  for (const one of together) await t.throwsAsync(one, { message: 'no space' })
  await t.notThrowsAsync(commit.add(['good']))
})

test('who asks during a run shares the next one', async t => {
  const runs: Array<ReturnType<typeof deferred>> = []
  const shared = new SharedRun(() => {
    const run = deferred()
    runs.push(run)
    return run.promise
  })
  const first = shared.run()
  const second = shared.run()
  t.is(shared.run(), second)
  t.is(runs.length, 1)
  runs[0]?.resolve()
  await first
  await setImmediate()
  t.is(runs.length, 2)
  runs[1]?.resolve()
  await second
  const third = shared.run()
  t.is(runs.length, 3)
  runs[2]?.resolve()
  await third
})

test('never do two runs go on at a time, and each begins after all who share it have asked', async t => {
  const runs: Array<ReturnType<typeof deferred>> = []
  let running = 0
  const shared = new SharedRun(async () => {
    t.is(++running, 1, 'runs at a time')
    const run = deferred()
    runs.push(run)
    await run.promise.finally(() => running--)
  })
  const asked = [shared.run(), shared.run()]
  for (let round = 0; round < 20; round++) {
    // Between the end of a run and the beginning of the next lie some microtasks: somebody asks in each of them.
    runs.at(-1)!.resolve()
    for (let turn = 0; turn < 10; turn++) {
      const begun = runs.length
      const done = shared.run().then(() => void t.true(runs.length > begun, 'a run that began later'))
      asked.push(done)
      await Promise.resolve()
    }
    await setImmediate()
  }
  let isOver = false
  const all = Promise.all(asked).finally(() => {
    isOver = true
  })
  for (; !isOver; await setImmediate()) runs.at(-1)!.resolve()
  await all
})

test('who waits for the next run is told that the one before failed, and who comes after is not', async t => {
  const runs: Array<ReturnType<typeof deferred>> = []
  const shared = new SharedRun(() => {
    runs.push(deferred())
    return runs.at(-1)!.promise
  })
  const first = shared.run()
  const second = shared.run()
  runs[0]?.reject(new Error('lost'))
  await t.throwsAsync(first, { message: 'lost' })
  await setImmediate()
  const third = shared.run()
  runs[1]?.resolve()
  await t.throwsAsync(second, { message: 'lost' })
  await setImmediate()
  runs[2]?.resolve()
  await third
})

test('work under one key runs in order, one at a time, also after a failure; other keys do not wait', async t => {
  const lock = new KeyedLock()
  const log: string[] = []
  const hold = deferred()
  const first = lock.run('a', async () => {
    await hold.promise
    log.push('first')
    throw new Error('failed')
  })
  const second = lock.run('a', async () => log.push('second'))
  await lock.run('b', async () => log.push('other'))
  t.deepEqual(log, ['other'])
  hold.resolve()
  await t.throwsAsync(first, { message: 'failed' })
  await second
  t.deepEqual(log, ['other', 'first', 'second'])
})

test('a gate lets through as many as it is wide', async t => {
  const gate = new Gate(2)
  let running = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++running)
    await setImmediate()
    running--
  }
  await Promise.all(Array.from({ length: 10 }, () => gate.run(work)))
  t.is(most, 2)
  await t.throwsAsync(gate.run(() => Promise.reject(new Error('x'))))
  await gate.run(work)
  t.is(running, 0)
})

test('the value of a key says the bytes of a block, the size of its file, or its place in a segment', t => {
  for (const bytes of [new Uint8Array(), new Uint8Array([0]), new Uint8Array(4096).fill(1)]) {
    t.deepEqual(decodeValue(inlineValue(bytes)), { kind: 'inline', bytes, size: bytes.length })
    t.is(sizeOfValue(inlineValue(bytes)), bytes.length)
  }
  for (const size of [0, 1, 262_144, 2 ** 40 + 1]) {
    t.deepEqual(decodeValue(fileValue(size)), { kind: 'file', size })
    t.is(sizeOfValue(fileValue(size)), size)
    const place = { segment: 2 ** 32 - 1, offset: 2 ** 40 + 7, size }
    t.deepEqual(decodeValue(segmentValue(place)), { kind: 'segment', ...place })
  }
})

test('the cache of values holds what a map would, as far as its memory goes, and never anything else', t => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          kind: fc.constantFrom('set', 'set', 'set', 'delete', 'found', 'stale'),
          key: fc.nat(12),
          length: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.nat(3))
        }),
        { maxLength: 100 }
      ),
      fc.constantFrom(64, 150, 1000),
      (steps, bytes) => {
        const cache = new ValueCache(bytes)
        const model = new Map<number, Uint8Array>()
        const marks = new Set<number>()
        steps.forEach(({ kind, key, length }, i) => {
          const name = new Uint8Array([key])
          const value = new Uint8Array(length).fill(i)
          if (kind === 'set' || kind === 'delete' || !cache.has(name)) marks.delete(key)
          if (kind === 'delete') {
            cache.delete(name)
            model.delete(key)
          } else if (kind === 'set') {
            cache.set(name, value)
            model.set(key, value)
          } else if (kind === 'found') {
            // What a look-up finds is what the database has.
            if (!model.has(key)) model.set(key, value)
            cache.found(name, model.get(key)!, cache.moment)
          } else {
            const { moment } = cache
            cache.delete(new Uint8Array([99]))
            if (!cache.has(name)) cache.found(name, value, moment)
          }
          const last = model.get(key)
          if (last !== undefined && (kind === 'set' || kind === 'found') && last.byteLength + 5 <= bytes) t.deepEqual(cache.get(name), last)
          if (i % 3 === 0) cache.mark(name)
          if (i % 3 === 0 && cache.has(name)) marks.add(key)
          for (let other = 0; other <= 12; other++) {
            const known = cache.get(new Uint8Array([other]))
            t.is(cache.isMarked(new Uint8Array([other])), known !== undefined && marks.has(other), `the mark of ${other}`)
            if (known !== undefined && Buffer.compare(known, model.get(other)!) !== 0) t.fail(`another value of ${other}`)
          }
        })
      }
    )
  )
})

test('a cache of values that was cleared knows nothing, and fills again', t => {
  const cache = new ValueCache(1000)
  cache.clear()
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 50; i++) cache.set(new Uint8Array([i]), new Uint8Array(100).fill(i))
    t.deepEqual(cache.get(new Uint8Array([49])), new Uint8Array(100).fill(49))
    cache.clear()
    for (let i = 0; i < 50; i++) t.is(cache.get(new Uint8Array([i])), undefined)
    cache.delete(new Uint8Array([49]))
  }
})

test('the cache of values keeps the newest that fit, and nothing that is too large', t => {
  const cache = new ValueCache(1000)
  const key = (n: number) => new Uint8Array([n])
  for (let i = 0; i < 50; i++) cache.set(key(i), new Uint8Array(100).fill(i))
  t.deepEqual(
    Array.from({ length: 50 }, (_, i) => i).filter(i => cache.has(key(i))),
    Array.from({ length: 9 }, (_, i) => 41 + i)
  )
  cache.set(key(1), new Uint8Array(1001))
  t.false(cache.has(key(1)))
  cache.set(key(49), new Uint8Array(1001))
  t.false(cache.has(key(49)), 'what it had of that key is not the value any more')
  t.is(new ValueCache(0).get(key(1)), undefined)
})

test('the cache of values takes any number of the smallest records, and finds what it keeps', t => {
  for (const size of [0, 5]) {
    const cache = new ValueCache(4096)
    const key = (i: number) => Buffer.from(i.toString(16).padStart(22, '0'))
    const value = new Uint8Array(size)
    for (let i = 0; i < 10_000; i++) {
      cache.set(key(i), value)
      t.true(cache.has(key(i)))
    }
    const kept = Array.from({ length: 10_000 }, (_, i) => i).filter(i => cache.has(key(i)))
    t.deepEqual([kept[0], kept.at(-1)], [10_000 - kept.length, 9999], 'the newest')
    t.is(kept.length, 64, 'no more than half as many as the table has slots')
  }
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { type Lease, type Removal, ready, WriteBarrier } from '../../core/index.ts'
import { createHost } from '../../host/create.ts'
import { type NodeHost } from '../../host/host.ts'
import { testHost } from '../../host/testing.ts'
import { Barrier } from '../../plugins/blocks/barrier.ts'
import { History, type Services } from './history.ts'
import { Random } from './random.ts'
import { pauses, slowStores } from './slow-stores.ts'

/** Runs; `COLLECTION_SEED` is the seed of the first one, the others count on from there. */
const RUNS = Number(process.env['COLLECTION_RUNS'] ?? 200)
const SEED = Number(process.env['COLLECTION_SEED'] ?? Date.now() % 1_000_000_000)

async function inMemory(seed: number, services: Services = []): Promise<History> {
  const random = new Random(seed)
  const host = await testHost({
    plugins: [slowStores(pauses(new Random(seed ^ 0x5bd1e995)))],
    services,
    configuration: { plugins: { 'storage-memory': 'off' } }
  })
  return played(host, random, 5, 12)
}

async function onRocksDb(seed: number): Promise<History> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-collection-'))
  try {
    const host = await createHost({
      repo: { path: join(folder, 'repo'), init: {} },
      configuration: { plugins: { 'storage-rocksdb': { inlineUpTo: 24 } } }
    })
    await host.start()
    return await played(host, new Random(seed), 5, 15)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function played(host: NodeHost, random: Random, workers: number, steps: number): Promise<History> {
  try {
    const history = new History({ host, random, workers, steps })
    await history.play()
    return history
  } finally {
    await host.stop()
  }
}

test('whatever runs beside collections, what is pinned stays and what is not goes', async t => {
  t.timeout(300_000)
  const counts = new Map<string, number>()
  t.log(`seeds ${SEED} to ${SEED + RUNS - 1}`)
  for (let seed = SEED; seed < SEED + RUNS; seed++) {
    const history = await inMemory(seed)
    t.deepEqual(history.violations, [], `COLLECTION_SEED=${seed} COLLECTION_RUNS=1`)
    for (const [operation, count] of history.counts) counts.set(operation, (counts.get(operation) ?? 0) + count)
  }
  t.log(Object.fromEntries(counts))
})

test('the same on RocksDB', async t => {
  for (let seed = SEED; seed < SEED + 2; seed++) {
    const history = await onRocksDb(seed)
    t.deepEqual(history.violations, [], `COLLECTION_SEED=${seed}`)
  }
})

const nothing: Lease = { release() {} }

/** A barrier that holds nobody up and remembers nothing. */
const absent: WriteBarrier = {
  hold: () => nothing,
  storing: () => undefined,
  announce: async () => nothing,
  reading: () => nothing,
  removal: (): Removal => ({
    keeps: () => false,
    hasSeen: () => false,
    inUse: () => undefined,
    run: (_look, remove) => remove(),
    release() {}
  })
}

/** A barrier one part of which is missing. */
function without(missing: (real: Barrier, removal: Removal) => Partial<WriteBarrier & Removal>): WriteBarrier {
  const real = new Barrier()
  const part = (removal: Removal) => missing(real, removal)
  return {
    hold: options => real.hold(options),
    storing: (multihash, options) => (part(real as never).storing ?? real.storing.bind(real))(multihash, options),
    announce: root => (part(real as never).announce ?? real.announce.bind(real))(root),
    reading: root => real.reading(root),
    removal(options) {
      const removal = real.removal(options)
      return {
        keeps: multihash => (part(removal).keeps ?? removal.keeps.bind(removal))(multihash),
        hasSeen: multihash => (part(removal).hasSeen ?? removal.hasSeen.bind(removal))(multihash),
        inUse: multihash => (part(removal).inUse ?? removal.inUse.bind(removal))(multihash),
        run: (look, remove) => (part(removal).run ?? removal.run.bind(removal))(look, remove),
        release: () => removal.release()
      }
    }
  }
}

const broken: ReadonlyArray<readonly [what: string, barrier: () => WriteBarrier]> = [
  ['the write barrier', () => absent],
  ['the record of what is stored', () => without(() => ({ keeps: () => false, hasSeen: () => false, inUse: () => undefined }))],
  ['the announcements', () => without(real => ({ announce: async () => real.hold() }))]
]

for (const [what, barrier] of broken) {
  test(`without ${what}, the same runs lose blocks`, async t => {
    for (let seed = SEED; seed < SEED + 50; seed++) {
      const { violations } = await inMemory(seed, [ready(WriteBarrier, barrier())])
      const lost = violations.find(found => found.includes('is not there'))
      if (lost === undefined) continue
      t.log(`seed ${seed}, run ${seed - SEED + 1}: ${lost}`)
      return t.pass()
    }
    t.fail('no run of 50 lost a block')
  })
}

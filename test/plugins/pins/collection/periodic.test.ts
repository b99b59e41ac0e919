import test from 'ava'
import type { Collected, Logger, Repo } from '../../../../core/index.ts'
import { collectPeriodically, limitsOf } from '../../../../plugins/pins/collection/periodic.ts'

const repoWith = (datastore: Record<string, unknown>) =>
  ({
    get: (key: string) => ({ StorageMax: '10GB', StorageGCWatermark: 90, GCPeriod: '1h', ...datastore })[key.replace('Datastore.', '')]
  }) as unknown as Repo

test('the limits are those of the node configuration', t => {
  t.deepEqual(limitsOf(repoWith({})), { period: 3_600_000, most: 9_000_000_000n })
  t.deepEqual(limitsOf(repoWith({ GCPeriod: '0' })), { period: 0, most: 9_000_000_000n })
  t.deepEqual(limitsOf(repoWith({ GCPeriod: '', StorageGCWatermark: 0, StorageMax: '1000B' })), { period: 3_600_000, most: 900n })
  t.is(limitsOf(repoWith({ StorageMax: '' })).most, 2n ** 64n - 1n)
})

const wrong: ReadonlyArray<readonly [settings: Record<string, unknown>, message: RegExp]> = [
  [{ GCPeriod: 'soon' }, /^Datastore\.GCPeriod of the node configuration, "soon": time: invalid duration/],
  [{ GCPeriod: '-1h' }, /^Datastore\.GCPeriod of the node configuration, "-1h": it is less than nothing/],
  [{ GCPeriod: 5 }, /^Datastore\.GCPeriod of the node configuration, 5: it is no duration/],
  [{ StorageGCWatermark: 101 }, /^Datastore\.StorageGCWatermark of the node configuration, 101: it is no whole number from 0 to 100/],
  [{ StorageGCWatermark: '90' }, /^Datastore\.StorageGCWatermark/],
  [{ StorageMax: 'much' }, /^Datastore\.StorageMax/]
]

for (const [settings, message] of wrong) {
  test(`${JSON.stringify(settings)} is refused with the name of the key`, t => {
    t.throws(() => limitsOf(repoWith(settings)), { message })
  })
}

/** A collector whose repo has these sizes at one look after the other, and the log it wrote; ends with the last of them. */
async function looks(sizes: Array<bigint | Error>, period = 1000) {
  const stop = new AbortController()
  const waits: number[] = []
  const said: string[] = []
  const say = (level: string) => (first: object | string, second?: string) => void said.push(`${level}: ${second ?? first}`)
  let collections = 0
  await collectPeriodically(
    {
      limits: { period, most: 100n },
      log: { info: say('info'), error: say('error') } as unknown as Logger,
      async usage() {
        const size = sizes.shift()
        if (sizes.length === 0) stop.abort()
        if (size instanceof Error) throw size
        return size!
      },
      collector: {
        async *collect(): AsyncGenerator<Collected> {
          collections++
          yield { error: new Error('one stays') }
        }
      },
      wait: async milliseconds => {
        waits.push(milliseconds)
      }
    },
    stop.signal
  )
  return { waits, collections, said }
}

test('it collects after every period in which the repo has grown beyond its limit', async t => {
  const { waits, collections, said } = await looks([50n, 101n, 100n, 500n, 0n])
  t.deepEqual(waits, [1000, 1000, 1000, 1000, 1000])
  t.is(collections, 2)
  t.is(said.filter(line => line.startsWith('info: the repo has grown')).length, 2)
  t.is(said.filter(line => line === 'error: one stays').length, 2)
})

test('what fails is logged, and it goes on', async t => {
  const { collections, said } = await looks([new Error('no such folder'), 200n, 0n])
  t.is(collections, 1)
  t.true(said.includes('error: collecting garbage failed: no such folder'))
})

test('a period of 0 means never', async t => {
  const { waits, collections } = await looks([500n], 0)
  t.deepEqual(waits, [])
  t.is(collections, 0)
})

test('it waits no longer than the node runs', async t => {
  const stop = new AbortController()
  const running = collectPeriodically(
    {
      limits: { period: 2 ** 40, most: 0n },
      log: {} as Logger,
      usage: async () => 0n,
      collector: { collect: () => t.fail() as never }
    },
    stop.signal
  )
  stop.abort()
  await running
  t.pass()
})

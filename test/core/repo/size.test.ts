import test from 'ava'
import type { Blockstore, Repo } from '../../../core/index.ts'
import { repoSize, storageMax } from '../../../core/repo/size.ts'

const configured = (value: string | undefined) => ({ get: () => value }) as unknown as Repo

for (const [text, size] of [
  ['10GB', 10_000_000_000n],
  ['3GiB', 3_221_225_472n],
  ['1,500.5 kb', 1_500_500n],
  ['10g', 10_000_000_000n],
  ['10Gi', 10_737_418_240n],
  ['4096', 4096n],
  ['4096B', 4096n],
  ['0', 0n],
  ['16EB', 16_000_000_000_000_000_000n],
  ['', 18_446_744_073_709_551_615n],
  [undefined, 18_446_744_073_709_551_615n]
] as const) {
  test(`a StorageMax of ${text === undefined ? 'nothing' : `'${text}'`} is ${size} bytes`, t => {
    t.is(storageMax(configured(text)), size)
  })
}

for (const [text, reason] of [
  ['much', 'strconv.ParseFloat: parsing "": invalid syntax'],
  ['10 elephants', 'unhandled size name: elephants'],
  ['-1', 'strconv.ParseFloat: parsing "": invalid syntax'],
  ['20EB', 'too large: 20EB']
] as const) {
  test(`a StorageMax of '${text}' is refused, and the key named`, t => {
    t.throws(() => storageMax(configured(text)), {
      code: 'E_STORAGE_MAX',
      message: `Datastore.StorageMax of the node configuration is no size, as '10GB' would be: '${text}': ${reason}`
    })
  })
}

test('the size of a repo is that of its folder; files that the store has counted are not looked at', async t => {
  const asked: unknown[] = []
  const repo = {
    path: '/repo',
    diskUsage: async (options: { but?: string }) => {
      asked.push(options.but)
      return 1000n
    }
  } as unknown as Repo
  t.is(await repoSize(repo, {} as Blockstore), 1000n)
  const store = { filesInRepo: async () => ({ folder: 'blocks', bytes: 234 }) } as unknown as Blockstore
  t.is(await repoSize(repo, store), 1234n)
  t.deepEqual(asked, [undefined, 'blocks'])
})

test('the size of a repo in memory is that of its blocks', async t => {
  const repo = { path: undefined } as unknown as Repo
  t.is(await repoSize(repo, { totals: async () => ({ blocks: 2, bytes: 77 }) } as unknown as Blockstore), 77n)
})

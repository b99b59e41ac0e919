/** What a node says of itself in each state in which it cannot do all of its work: the table of docs/operating.md, row by row. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { HealthReport } from '../../core/health-report.ts'
import type { Finding } from '../../host/cli/doctor/finding.ts'
import { blockOf, post, rawCid } from '../crash/support/rpc.ts'
import { commandLine } from '../helpers/process/command-line.ts'
import type { Daemon } from '../helpers/process/daemon.ts'
import { parsePrometheus } from '../helpers/prometheus.ts'
import { until } from '../helpers/until.ts'
import { type Disk, onFaultyDisk } from './disk.ts'

/** Everything that a node says of a state. */
interface Told {
  readonly health: readonly [status: number, faults: readonly string[]]
  readonly ready: readonly [status: number, faults: readonly string[]]
  /** The faults whose metric is 1. */
  readonly metric: readonly string[]
  readonly doctor: 'ok' | 'wrong'
  readonly isWarned: boolean
}

const WELL: Told = { health: [200, []], ready: [200, []], metric: [], doctor: 'ok', isWarned: false }

async function answerOf(url: string, path: string): Promise<readonly [number, readonly string[]]> {
  const response = await fetch(`${url}${path}`)
  const { faults } = (await response.json()) as HealthReport
  return [response.status, faults.map(({ fault }) => fault)]
}

async function toldBy({ url }: Daemon, { repo }: Disk): Promise<Told> {
  const metrics = parsePrometheus(await (await fetch(`${url}/debug/metrics/prometheus`)).text())
  const { out } = await commandLine(['--repo', repo, 'doctor', '--json'], { cwd: join(repo, '..') })
  const findings = (JSON.parse(out) as Finding[]).filter(({ check }) => check === 'store')
  const stat = JSON.parse(await post(url, 'repo/stat?size-only=true')) as { Warning?: string }
  return {
    health: await answerOf(url, '/health'),
    ready: await answerOf(url, '/ready'),
    metric: metrics.lines.filter(({ name, value }) => name === 'holdfast_fault' && value === 1).map(({ labels }) => labels['fault']!),
    doctor: findings.some(({ state }) => state === 'wrong') ? 'wrong' : 'ok',
    isWarned: stat.Warning !== undefined
  }
}

const of = (fault: string): Told => ({ health: [503, [fault]], ready: [503, [fault]], metric: [fault], doctor: 'wrong', isWarned: true })
/** Of one that a start of the node does not mend. */
const ofDisk = (fault: string): Told => ({ ...of(fault), health: [200, []] })

const small = (n: number) => new Uint8Array(Buffer.from(`a small block ${n}`))
const put = (url: string, n: number) => post(url, 'block/put?pin=true', [['data', small(n)]])
const ready = (url: string, status: number) =>
  until(`/ready answers ${status}`, async () => (await fetch(`${url}/ready`)).status === status)
const errorLines = (node: Daemon) =>
  node
    .output()
    .split('\n')
    .filter(line => line.includes('"level":50'))

/** Looks whether pinned blocks from 0 on are there, also after a start. */
async function keeps(t: ExecutionContext, disk: Disk, node: Daemon, numbers: readonly number[]): Promise<void> {
  const isWhole = async (url: string) => {
    for (const n of numbers) {
      const cid = await rawCid(small(n))
      t.deepEqual(Buffer.from(await blockOf(url, cid)), Buffer.from(small(n)))
      t.regex(await post(url, `pin/ls?arg=${cid}`), new RegExp(cid))
    }
  }
  await isWhole(node.url)
  await node.kill()
  disk.rules()
  await isWhole((await disk.start()).url)
}

onFaultyDisk('a sound node says so', async (t, disk) => {
  const node = await disk.start()
  t.deepEqual(await toldBy(node, disk), WELL)
})

for (const [what, rule] of [
  ['the log of RocksDB, once', 'write db/*.log EIO times=1'],
  ['the manifest of RocksDB, once', 'write db/MANIFEST-* ENOSPC times=1']
] as const)
  onFaultyDisk(`a node whose disk fails to write ${what}, opens its database again by itself and loses nothing`, async (t, disk) => {
    disk.configure({ 'storage-rocksdb': { journal: 0, writeBuffer: 65_536 } })
    const node = await disk.start()
    const numbers: number[] = []
    let refused = ''
    await put(node.url, 0)
    disk.rules(rule)
    for (let n = 0; n < 2000 && refused === ''; n++) {
      await put(node.url, n).then(
        () => numbers.push(n),
        error => {
          refused = (error as Error).message
        }
      )
    }
    t.regex(refused, /storage-rocksdb: the database refused a write: .*(Input\/output error|No space left)/)
    await ready(node.url, 200)
    await put(node.url, 5000)
    t.deepEqual(await toldBy(node, disk), WELL)
    const [first = '', last = '', ...more] = errorLines(node)
    t.regex(first, /the store takes no writes: /)
    t.regex(last, /over: the store takes no writes/)
    t.deepEqual(more, [])
    await keeps(t, disk, node, [...numbers, 5000])
  })

onFaultyDisk(
  'a node whose memory is full while the manifest of RocksDB cannot be written tells everybody, refuses writes, and takes them again by itself',
  async (t, disk) => {
    disk.configure({ 'storage-rocksdb': { journal: 0, writeBuffer: 65_536, inlineUpTo: 65_536 } })
    const node = await disk.start()
    await put(node.url, 0)
    const big = (n: number) => new Uint8Array(30_000).fill(n)
    // the table is on its way while memory fills up behind it, and cannot be named then
    disk.rules('sync db/*.sst slow=2000', 'write db/MANIFEST-* ENOSPC')
    const attempts = await Promise.allSettled(
      Array.from({ length: 12 }, async (_, n) => {
        for (let i = 0; i < 20; i++) await post(node.url, 'block/put', [['data', big(20 * n + i)]])
      })
    )
    for (const { reason } of attempts as PromiseRejectedResult[]) t.regex(String(reason), /storage-rocksdb: the database refused a write: /)
    await ready(node.url, 503)
    t.deepEqual(await toldBy(node, disk), of('store-writes'))
    t.is(errorLines(node).length, 1)
    disk.rules()
    await ready(node.url, 200)
    await put(node.url, 1)
    t.deepEqual(await toldBy(node, disk), WELL)
    await keeps(t, disk, node, [0, 1])
  }
)

for (const [what, isStopped] of [
  ['stops, and begins again once there is', true],
  ['takes them again by itself once there is', false]
] as const)
  onFaultyDisk(
    `a node whose disk has no room for what its tables are merged to tells everybody, refuses writes, ${what}`,
    async (t, disk) => {
      disk.configure({ 'storage-rocksdb': { journal: 0, writeBuffer: 65_536, inlineUpTo: 65_536 } })
      const node = await disk.start()
      const block = (n: number) => new Uint8Array(30_000).fill(n)
      const numbers: number[] = []
      await put(node.url, 0)
      // a table of one memory is smaller
      disk.rules('write db/*.sst ENOSPC at=200000')
      let refused = ''
      for (let n = 1; n < 200 && refused === ''; n++) {
        await post(node.url, 'block/put', [['data', block(n)]]).then(
          () => numbers.push(n),
          error => {
            refused = (error as Error).message
          }
        )
      }
      t.regex(
        refused,
        /the database refused a write: its memory or its tables are full, and cannot be written out or merged \([1-9]\d* errors so far\)/
      )
      await ready(node.url, 503)
      t.deepEqual(await toldBy(node, disk), of('store-writes'))
      await t.throwsAsync(put(node.url, 1), { message: /the database refused a write: / })
      if (isStopped) t.is(await node.stop(), 1, 'ends, and says that the last write was refused')
      disk.rules()
      const { url } = isStopped ? await disk.start() : node
      await ready(url, 200)
      await put(url, 2)
      for (const n of numbers) t.deepEqual(Buffer.from(await blockOf(url, await rawCid(block(n)))), Buffer.from(block(n)))
      if (!isStopped) await keeps(t, disk, node, [0, 2])
    }
  )

onFaultyDisk('a node whose log cannot be written tells everybody, reads on, and writes again once it can', async (t, disk) => {
  const node = await disk.start()
  for (let n = 0; n < 10; n++) await put(node.url, n)
  disk.rules('write db/*.log EIO', 'write journal/* EIO')
  const attempts = await Promise.allSettled([10, 11, 12].map(n => put(node.url, n)))
  t.true(attempts.every(({ status }) => status === 'rejected'))
  await ready(node.url, 503)
  const told = await toldBy(node, disk)
  t.deepEqual(told, of('store-writes'))
  t.deepEqual(Buffer.from(await blockOf(node.url, await rawCid(small(3)))), Buffer.from(small(3)))
  disk.rules()
  await ready(node.url, 200)
  await put(node.url, 13)
  t.deepEqual(await toldBy(node, disk), WELL)
  await keeps(t, disk, node, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13])
})

for (const [what, rule] of [
  ['bytes', 'statfs * full'],
  ['inodes', 'statfs * no-inodes']
] as const)
  onFaultyDisk(`a node whose disk has no more ${what} says so, and a start would not help`, async (t, disk) => {
    const node = await disk.start()
    await put(node.url, 0)
    disk.rules(rule)
    await ready(node.url, 503)
    t.deepEqual(await toldBy(node, disk), ofDisk('store-space'))
    await t.throwsAsync(post(node.url, 'block/put', [['data', new Uint8Array(300_000)]]), { message: /ENOSPC: no space left on device/ })
    t.is(errorLines(node).filter(line => line.includes('the disk is full')).length, 1)
    disk.rules()
    await ready(node.url, 200)
    t.deepEqual(await toldBy(node, disk), WELL)
    await put(node.url, 1)
    await keeps(t, disk, node, [0, 1])
  })

const large = (n: number) => new Uint8Array(20_000).fill(n)
const putLarge = (url: string, n: number, pin: boolean) => post(url, `block/put?pin=${pin}`, [['data', large(n)]])

onFaultyDisk(
  'a node whose disk lost blocks names them, refuses what needs them and nothing else, and takes them again',
  async (t, disk) => {
    const node = await disk.start()
    const { url } = node
    const stored = [1, 2, 3]
    for (const n of stored) await putLarge(url, n, false)
    disk.rules('sync segments/00000001.blocks EIO times=1')
    const segment = join(disk.repo, 'segments/00000001.blocks')
    // what the system had of them is gone
    await writeFile(segment, new Uint8Array((await stat(segment)).size))
    // whoever syncs first is told, which may be the node itself
    await putLarge(url, 4, true).catch(() => {})
    await put(url, 0)
    await ready(url, 503)
    t.deepEqual(await toldBy(node, disk), ofDisk('store-blocks'))
    const line = errorLines(node).find(each => each.includes('the disk lost blocks')) ?? ''
    const named = await Promise.all(stored.map(async n => ({ n, cid: await rawCid(large(n)) })))
    // one that was synced before is not among them, nor one in another segment, where it lies that came while the disk was busy
    const lost = named.filter(({ cid }) => line.includes(cid)).map(({ n }) => n)
    const cids = await Promise.all(lost.map(n => rawCid(large(n))))
    t.true(lost.length > 0, line)

    await post(url, `files/write?arg=/a&create=true`, [['data', large(5)]])
    await post(url, `name/publish?arg=/ipfs/${cids[0]}&allow-offline=true&resolve=false`)
    for (const cid of cids) await t.throwsAsync(post(url, `pin/add?arg=${cid}`), { message: new RegExp(cid) })
    // a folder with one file, CAE being what its node says of itself
    const links = { Data: { '/': { bytes: 'CAE' } }, Links: [{ Hash: { '/': cids[0] }, Name: 'f', Tsize: 20_000 }] }
    const parent = await post(url, 'dag/put?store-codec=dag-pb&pin=false', [['data', new Uint8Array(Buffer.from(JSON.stringify(links)))]])
    const { Cid } = JSON.parse(parent) as { Cid: { '/': string } }
    await t.throwsAsync(post(url, `pin/add?arg=${Cid['/']}`), { message: new RegExp(cids[0]!) })
    // the answer names the node, and is broken off behind that
    await t.throwsAsync(post(url, 'dag/put?store-codec=dag-pb&pin=true', [['data', new Uint8Array(Buffer.from(JSON.stringify(links)))]]))
    await t.throwsAsync(post(url, `pin/ls?arg=${Cid['/']}`), { message: /not pinned/ })
    await t.throwsAsync(post(url, `files/cp?arg=/ipfs/${Cid['/']}&arg=/b`), { message: new RegExp(`the disk lost the block ${cids[0]}`) })
    await t.throwsAsync(post(url, 'files/stat?arg=/b'), { message: /file does not exist/ })
    await post(url, 'files/mkdir?arg=/c')

    for (const n of lost) await putLarge(url, n, true)
    t.deepEqual(await toldBy(node, disk), WELL)
    await post(url, `pin/add?arg=${Cid['/']}`)
    await node.kill()
    const next = await disk.start()
    for (const [i, n] of lost.entries()) {
      t.deepEqual(Buffer.from(await blockOf(next.url, cids[i]!)), Buffer.from(large(n)))
      t.regex(await post(next.url, `pin/ls?arg=${cids[i]}`), new RegExp(cids[i]!))
    }
    t.regex(await post(next.url, 'files/ls?arg=/'), /"Name":"a".*"Name":"c"/)
  }
)

onFaultyDisk('an error of a segment names its file', async (t, disk) => {
  const node = await disk.start()
  await putLarge(node.url, 1, false)
  for (const [rule, pin] of [
    ['write segments/* ENOSPC', false],
    ['sync segments/* EIO', true]
  ] as const) {
    disk.rules(rule)
    await t.throwsAsync(putLarge(node.url, 2, pin), { message: /E(NOSPC|IO): .*segments\/\d{8}\.blocks/ })
  }
})

onFaultyDisk('the page on operating a node has a row for each state', async t => {
  const page = await readFile(new URL('../../../docs/operating.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split('## When a node cannot work\n')
  const rows = [...section.split('\n## ')[0]!.matchAll(/`(store-\w+)`/g)].map(([, name]) => name!)
  t.deepEqual([...new Set(rows)].sort(), ['store-blocks', 'store-space', 'store-writes'])
})

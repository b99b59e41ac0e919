import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import test from 'ava'
import { fromBufferPromise } from 'yauzl'
import { Repo } from '../../../core/index.ts'
import { generateIdentity } from '../../../core/keys/index.ts'
import { testHost } from '../../../host/testing.ts'
import { heapInterval } from '../../../plugins/diagnostics/profile/samplers.ts'
import { withoutKey } from '../../../plugins/diagnostics/profile/without-key.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { commandLine } from '../../helpers/process/command-line.ts'
import { startDaemon } from '../../helpers/process/daemon.ts'
import { openNode } from './rpc.ts'

async function unzipped(bytes: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  const zip = await fromBufferPromise(bytes)
  for await (const entry of zip.eachEntry()) files.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)))
  return files
}

const bytesOf = async (reply: Promise<unknown>) => buffer((await reply) as AsyncIterable<Uint8Array>)

test.serial('a profile is a zip of everything that is wanted, each part readable', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const files = await unzipped(await bytesOf(host.call('diag/profile', { options: { profileTime: '50ms' } })))
  t.deepEqual([...files.keys()].sort(), [
    'allocs.heapprofile',
    'cpu.cpuprofile',
    'event-loop-delay.json',
    'event-loop-utilization.json',
    'heap.heapsnapshot',
    'packages.json',
    'report.json',
    'stacks.txt',
    'trace.json',
    'version.json'
  ])
  const json = (name: string) => JSON.parse(files.get(name)!.toString())
  const cpu = json('cpu.cpuprofile')
  t.true(cpu.nodes.length > 1 && cpu.samples.length === cpu.timeDeltas.length && cpu.endTime > cpu.startTime)
  t.like(json('allocs.heapprofile').head, { callFrame: { functionName: '(root)' } })
  t.true(Array.isArray(json('allocs.heapprofile').samples))
  const snapshot = json('heap.heapsnapshot')
  t.is(snapshot.nodes.length, snapshot.snapshot.node_count * snapshot.snapshot.meta.node_fields.length)
  const key = Buffer.from(host.service(Repo)!.identity.privateKey).toString('base64')
  t.false(files.get('heap.heapsnapshot')!.includes(key.slice(0, 12)), 'the private key')
  t.like(json('event-loop-delay.json'), { unit: 'ns', resolutionMs: 1 })
  t.true(json('event-loop-utilization.json').active > 0)
  t.true((json('packages.json') as Array<{ name: string }>).some(({ name }) => name === 'yazl'))
  t.deepEqual(json('version.json'), await host.call('version'))
  const names = (json('trace.json').traceEvents as Array<{ name: string; ph: string }>).map(({ name }) => name)
  t.true(names.includes('diag/profile'))
  t.false('environmentVariables' in json('report.json'))
  t.regex(files.get('stacks.txt')!.toString(), /^running calls \[1\]:\n\t0 diag\/profile/)
})

test('the private key is written over, however its text falls into pieces, and also where it was cut off', async t => {
  const { type, privateKey } = await generateIdentity()
  const key = Buffer.from(privateKey).toString('base64')
  const seed = Buffer.from(privateKey.subarray(4, 36)).toString('base64url')
  const text = `"before","PrivKey\\":\\"${key}\\"","${key.slice(0, 40)}","${seed}","after"`
  const stars = text.replace(key, '*'.repeat(key.length)).replace(key.slice(0, 40), '*'.repeat(40)).replace(seed, '*'.repeat(seed.length))
  for (const size of [1, 2, 7, 12, 50, 1000]) {
    const pieces = async function* () {
      for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size))
    }
    t.is((await buffer(withoutKey(pieces(), { type, privateKey }))).toString(), stars, `${size}`)
  }
})

test('a long profile of the heap takes no more samples in all than a short one', t => {
  t.deepEqual([50, 30_000, 60_000, 600_000].map(heapInterval), [32_768, 32_768, 65_536, 655_360])
})

test.serial('without time nothing is sampled', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  for (const profileTime of ['0', '0s', '-1s']) {
    const options = { profileTime, collectors: ['version', 'cpu', 'trace', 'version'] }
    t.deepEqual([...(await unzipped(await bytesOf(host.call('diag/profile', { options })))).keys()], ['version.json'])
  }
})

test.serial('an unknown collector is an error behind an empty zip; bad times are errors at once', async t => {
  const { post } = await openNode(t, {}, { settings: { lateFailure: 'finish' } })
  const response = await post('diag/profile?profile-time=0&collectors=version&collectors=astrology')
  t.is(response.status, 200)
  t.deepEqual([...(await unzipped(Buffer.from(await response.arrayBuffer()))).keys()], [])
  for (const [query, message] of [
    ['profile-time=long', 'failed to parse profile duration "long": time: invalid duration "long"'],
    ['block-profile-rate=often', 'failed to parse block profile rate "often": time: invalid duration "often"'],
    ['profile-time=11m', 'a profile of this node takes 10 minutes at most: what is sampled is held until its end']
  ] as const) {
    const failed = await post(`diag/profile?${query}`)
    t.is(failed.status, 500)
    t.is(((await failed.json()) as { Message: string }).Message, message)
  }
})

test.serial('one profile is taken at a time, and who leaves ends theirs', async t => {
  const { host, url, post } = await openNode(t)
  const leaving = new AbortController()
  const first = await post('diag/profile?profile-time=9m&collectors=cpu&collectors=allocs&collectors=block', { signal: leaving.signal })
  t.is(first.status, 200)
  const busy = /^another profile of this node is being taken/
  t.regex(((await (await post('diag/profile')).json()) as { Message: string }).Message, busy)
  const route = await fetch(`${url}/debug/pprof/profile?seconds=1`)
  t.is(route.status, 503)
  t.regex(await route.text(), busy)
  leaving.abort()
  const again = async (): Promise<Buffer> => {
    try {
      return await bytesOf(host.call('diag/profile', { options: { profileTime: '1ms', collectors: ['cpu'] } }))
    } catch {
      await new Promise(resolve => setImmediate(resolve))
      return again()
    }
  }
  t.deepEqual([...(await unzipped(await again())).keys()], ['cpu.cpuprofile'])
})

test.serial('the profile of one host does not end another’s in the same process', async t => {
  const [one, two] = await Promise.all([openNode(t), openNode(t)])
  const leaving = new AbortController()
  const first = fetch(`${one.url}/debug/pprof/allocs?seconds=0.5`)
  await (await fetch(`${one.url}/debug/pprof/cmdline`)).text()
  const second = await fetch(`${two.url}/debug/pprof/allocs?seconds=0.01`, { signal: leaving.signal })
  await t.throwsAsync(second.text())
  t.truthy(((await (await first).json()) as { head: object }).head)
})

test.serial('the node’s stop ends a profile', async t => {
  const { host } = await openNode(t)
  const items = (
    (await host.call('diag/profile', { options: { collectors: ['cpu', 'trace'], profileTime: '9m' } })) as AsyncIterable<Uint8Array>
  )[Symbol.asyncIterator]()
  t.is((await items.next()).value.length, 0)
  const next = items.next()
  t.deepEqual(await host.stop(), [])
  await t.throwsAsync(next)
})

test.serial('single profiles are served where Go’s tools look for them', async t => {
  const { url } = await openNode(t)
  const get = (name: string) => fetch(`${url}/debug/pprof/${name}`)
  const cpu = await get('profile?seconds=0.05')
  t.is(cpu.headers.get('content-disposition'), 'attachment; filename="cpu.cpuprofile"')
  t.true(((await cpu.json()) as { nodes: unknown[] }).nodes.length > 1)
  t.truthy(((await (await get('allocs?seconds=0.05')).json()) as { head: object }).head)
  t.truthy(((await (await get('heap')).json()) as { snapshot: object }).snapshot)
  t.truthy(((await (await get('trace?seconds=0.01')).json()) as { traceEvents: object[] }).traceEvents)
  t.regex(await (await get('goroutine')).text(), /^running calls \[0\]/)
  t.is(await (await get('cmdline')).text(), process.argv.join('\0'))
  const index = await (await get('')).text()
  for (const [, link] of index.matchAll(/href="([^"]+)"/g))
    t.is((await fetch(new URL(link!, `${url}/debug/pprof/`), { method: 'HEAD' })).status, 200, link)
  t.deepEqual([(await get('nope')).status, await (await get('nope')).text()], [404, 'Unknown profile\n'])
  for (const seconds of ['x', '-1', 'Infinity', '601']) t.is((await get(`profile?seconds=${seconds}`)).status, 400, seconds)
})

test.serial('who leaves a single profile ends it', async t => {
  const { url } = await openNode(t)
  const leaving = new AbortController()
  t.is((await fetch(`${url}/debug/pprof/profile?seconds=500`, { signal: leaving.signal })).status, 200)
  leaving.abort()
  for (;;) {
    const next = await fetch(`${url}/debug/pprof/profile?seconds=0`)
    await next.text()
    if (next.status === 200) break
  }
  t.pass()
})

test.serial('a command line writes the zip to a file that is its user’s alone', async t => {
  const folder = await temporaryFolder(t)
  const daemon = await startDaemon(join(folder, 'repo'))
  t.teardown(() => daemon.kill())
  const profile = (...args: string[]) =>
    commandLine(['--repo', join(folder, 'repo'), 'diag', 'profile', '--profile-time=0', '--collectors=version', ...args], { cwd: folder })
  const named = await profile('-o', 'here.zip')
  t.deepEqual([named.code, named.err], [0, ''])
  const file = join(folder, 'here.zip')
  t.deepEqual([...(await unzipped(await readFile(file))).keys()], ['version.json'])
  t.is((await stat(file)).mode & 0o777, 0o600)
  t.is((await profile()).code, 0)
  t.true((await readdir(folder)).some(name => /^ipfs-profile-\d{4}-\d\d-\d\dT\d\d_\d\d_\d\d.*\.zip$/.test(name)))
  t.is(await daemon.stop(), 0)
})

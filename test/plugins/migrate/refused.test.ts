import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { Pins } from '../../../core/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { hostOn, migrate, reportOf, unpacked } from './world.ts'

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false
  )

/** Repos that are no good, each with what the message says of it. */
const REFUSED: ReadonlyArray<readonly [what: string, spoil: (path: string) => Promise<unknown>, message: RegExp]> = [
  ['is not there', path => rm(path, { recursive: true }), /there is no repo of Kubo in .*kubo-repo/],
  ['is older', path => writeFile(join(path, 'version'), '14\n'), /has version '14', and 15 to 18 can be read.*ipfs repo migrate/],
  ['is newer', path => writeFile(join(path, 'version'), '19'), /has version '19'/],
  ['has no version', path => rm(join(path, 'version')), /has version ''/],
  ['keeps all in badger', path => writeFile(join(path, 'datastore_spec'), '{"type":"badgerds","path":"badgerds"}'), /stored as 'badgerds'/],
  [
    'keeps the rest in pebble',
    async path => {
      const file = join(path, 'datastore_spec')
      await writeFile(file, (await readFile(file, 'utf8')).replace('levelds', 'pebbleds'))
    },
    /stored as 'flatfs' under \/blocks and 'pebbleds' under \//
  ],
  ['says nothing of its store', path => rm(join(path, 'datastore_spec')), /datastore_spec cannot be taken over: it is missing, or no JSON/],
  ['is one of holdfast', path => writeFile(join(path, 'datastore_spec'), '{"type":"rocksdb","path":"db"}'), /stored as 'rocksdb'/],
  ['has no list of shards', path => rm(join(path, 'blocks', 'SHARDING')), /SHARDING cannot be taken over: it is missing/],
  [
    'shards otherwise than it says',
    path => writeFile(join(path, 'blocks', 'SHARDING'), '/repo/flatfs/shard/v1/prefix/2\n'),
    /SHARDING.*datastore_spec/
  ],
  ['has a broken configuration', path => appendFile(join(path, 'config'), '}'), /config cannot be taken over/],
  [
    'has a value of another type in its configuration',
    async path => {
      const config = JSON.parse(await readFile(join(path, 'config'), 'utf8'))
      await writeFile(join(path, 'config'), JSON.stringify({ ...config, Datastore: { ...config.Datastore, StorageGCWatermark: 'much' } }))
    },
    /kubo-repo-[\d.]+\/config cannot be taken over: .*StorageGCWatermark/
  ],
  ['has a key that is none', path => appendFile(join(path, 'keystore', 'key_mzuxe43u'), 'nonsense'), /key_mzuxe43u cannot be taken over/],
  ['has a stranger among its keys', path => writeFile(join(path, 'keystore', 'notes.txt'), ''), /notes\.txt cannot be taken over/],
  ['has another peer in its configuration', path => spoilPeer(path), /Identity\.PrivKey: it belongs to the peer 12D3KooWQiRwjA4/]
]

async function spoilPeer(path: string): Promise<void> {
  const file = join(path, 'config')
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replace(/"PeerID": "[^"]+"/, '"PeerID": "12D3KooWHhrbkY9iXJheBaiCErZ1zaSwbo6Uq3gbPnYkz68YiQwm"')
  )
}

for (const [what, spoil, message] of REFUSED) {
  test(`a repo that ${what} is refused before anything is made`, async t => {
    const { path, folder } = await unpacked(t)
    // the keys of the reference may be read alone
    const key = join(path, 'keystore', 'key_mzuxe43u')
    const bytes = await readFile(key)
    await rm(key)
    await writeFile(key, bytes)
    await spoil(path)
    const repo = join(folder, 'repo')
    const { code, err } = await migrate(repo, path)
    t.is(code, 1)
    t.regex(err, message)
    t.false(await isThere(repo))
  })
}

const onLinux = process.platform === 'linux' ? test : test.skip

// only Linux tells who holds a lock of the kernel's, see running.ts
onLinux('a repo that Kubo works on is refused, and told by which process', async t => {
  const { path, folder } = await unpacked(t)
  const lock = join(path, 'repo.lock')
  // what flock takes is what LevelDB has the kernel hold on its own file
  const holder = spawn('flock', ['--no-fork', join(path, 'datastore', 'LOCK'), 'sh', '-c', 'echo held; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  await writeFile(lock, '')
  const { code, err } = await migrate(join(folder, 'repo'), path)
  t.is(code, 1)
  t.is(err, `Error: Kubo works on ${path} (process ${holder.pid}): stop it first\n`)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  t.is((await migrate(join(folder, 'repo'), path)).code, 0)
})

test('a repo of another peer is left as it is', async t => {
  const [one, other] = [await unpacked(t, '0.28'), await unpacked(t, '0.42')]
  const repo = join(one.folder, 'repo')
  await migrate(repo, one.path)
  const { code, err } = await migrate(repo, other.path)
  t.is(code, 1)
  t.true(err.includes(`is that of the peer ${one.told.peerId}, and Kubo's is that of ${other.told.peerId}`), err)
  const host = await hostOn(t, repo)
  t.is((await host.service(Pins)!.list()) && (await itemsOf(host.service(Pins)!.list())).length, one.told.pins.length)
})

test('a damaged block ends it before anything refers to blocks; without the block, all else is taken over', async t => {
  const { path, told, folder } = await unpacked(t)
  const file = await largest(join(path, 'blocks'))
  const bytes = await readFile(file)
  bytes[7]! ^= 1
  await writeFile(file, bytes)
  const repo = join(folder, 'repo')
  const first = await migrate(repo, path)
  t.is(first.code, 1)
  t.true(first.err.includes(`1 block is damaged`) && first.err.includes(`${file}: its bytes have another hash`), first.err)
  const host = await hostOn(t, repo)
  const fresh = await itemsOf<{ text: string }>(host.service(Pins)!.list())
  t.deepEqual(
    fresh.map(({ text }) => text),
    ['QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'],
    'what every new repo pins'
  )
  await host.stop()
  const second = await migrate(repo, path, '--skip-damaged', '--encoding=json')
  const report = reportOf(second) as { Blocks: { Damaged: string[]; There: number }; Left: string[] }
  t.deepEqual(report.Blocks.Damaged, [`${file}: its bytes have another hash`])
  t.is(report.Blocks.There, told.blocks.length - 1)
  t.like(report, { Root: told.mfsRoot, Keys: ['first', 'second'], Names: 2 })
})

test('one way or the other has to be said, and services that are off are named', async t => {
  const { path, folder } = await unpacked(t)
  const repo = join(folder, 'repo')
  for (const words of [[], [path, '--to-kubo', join(folder, 'back')]]) {
    const { code, err } = await migrate(repo, ...words)
    t.is(code, 1)
    t.regex(err, /say either which repo of Kubo to take over, or --to-kubo FOLDER/)
  }
  t.regex((await migrate(repo, '--to-kubo', join(folder, 'back'))).err, /there is no repo in .* to hand to Kubo/)
  const config = join(folder, 'holdfast.config.json')
  await writeFile(config, JSON.stringify({ plugins: { mfs: 'off' } }))
  t.regex((await migrate(repo, path, '--config', config)).err, /the service 'mfs' is off/)
  t.false(await isThere(join(folder, 'back')))
})

test('what Kubo would not find among its blocks is not taken for one', async t => {
  const { path, told, folder } = await unpacked(t)
  const file = await largest(join(path, 'blocks'))
  await mkdir(join(path, 'blocks', 'zz'))
  await writeFile(join(path, 'blocks', 'zz', 'put-17'), 'broken off')
  await writeFile(join(path, 'blocks', 'zz', 'AFAQ.data'), 'of another shard')
  await writeFile(join(path, 'blocks', 'zz', 'no key.data'), '')
  await rename(file, join(path, 'blocks', 'zz', file.split('/').at(-1)!))
  const ran = await migrate(join(folder, 'repo'), path, '--encoding=json')
  const { Blocks } = reportOf(ran) as { Blocks: { Linked: number; Copied: number; There: number } }
  t.is(Blocks.Linked + Blocks.Copied + Blocks.There, told.blocks.length - 1)
})

/** The largest file of a block. */
async function largest(root: string): Promise<string> {
  let found = { path: '', size: -1 }
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.data')) continue
    const path = join(entry.parentPath, entry.name)
    const { size } = await stat(path)
    if (size > found.size) found = { path, size }
  }
  return found.path
}

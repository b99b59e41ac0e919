import { deepEqual, ok, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Blockstore, CID, fastBlocks } from 'holdfast'
import { createHost, type NodeHost } from 'holdfast/host'
import { itemsOf, testHost, upload } from 'holdfast/testing'
import { Cipher } from '../src/cipher.ts'
import plugin from '../src/index.ts'
import { EncryptedBlockstore } from '../src/store.ts'
import { storageFs } from './fs-store.ts'

const INNER = ['storage-memory', 'storage-rocksdb', 'storage-fs'] as const
type Inner = (typeof INNER)[number]

const newKey = () => randomBytes(32).toString('base64')

/** A repo whose blocks lie in the store of that name, encrypted. */
async function space(t: TestContext, inside: Inner) {
  const folder = await mkdtemp(join(tmpdir(), 'encrypted-blocks-'))
  t.after(() => rm(folder, { recursive: true }))
  const [repo, keyFile] = [join(folder, 'repo'), join(folder, 'key')]
  await writeFile(keyFile, newKey())
  const inMemory = inside === 'storage-memory'
  const start = async (blockstore: readonly string[] = ['encrypted-blocks', inside]): Promise<NodeHost> => {
    const host = await createHost({
      plugins: [plugin, storageFs(join(repo, 'files'))],
      repo: { path: inMemory ? undefined : repo, init: {} },
      configuration: {
        plugins: {
          'encrypted-blocks': { keyFile },
          ...(inMemory && { 'storage-rocksdb': 'off', 'storage-memory': 'on' })
        },
        services: { blockstore }
      }
    })
    await host.start()
    return host
  }
  return { repo, keyFile, inMemory, start }
}

async function add(host: NodeHost, bytes: Uint8Array, options: object = {}): Promise<string> {
  const [added] = await itemsOf<{ Hash: string }>(await host.call('add', { body: upload(bytes), options: { ...options, rawLeaves: true } }))
  return added!.Hash
}

const cat = async (host: NodeHost, hash: string) => Buffer.concat(await itemsOf<Uint8Array>(await host.call('cat', { args: [hash] })))

/** Every file below a folder. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const text = Buffer.from('a secret that nobody else should read '.repeat(20_000))

for (const inside of INNER) {
  test(`${inside}: what was added comes back, and nothing of it lies in the repo as it was`, async t => {
    const { repo, inMemory, start } = await space(t, inside)
    const host = await start()
    const hashes = [await add(host, text), await add(host, Buffer.from('a small secret'))]
    const [large, small] = hashes as [string, string]
    deepEqual(await cat(host, large), text)
    await host.stop()
    if (inMemory) return
    const again = await start()
    deepEqual(await cat(again, large), text)
    deepEqual(await cat(again, small), Buffer.from('a small secret'))
    deepEqual(await itemsOf(await again.call('pin/verify')), [])
    ok(JSON.stringify(await itemsOf(await again.call('repo/verify'))).includes('verify complete'))
    await again.stop()
    const files = await filesIn(repo)
    ok(files.length > 3)
    for (const file of files) ok(!(await readFile(file)).includes('secret'), file)
  })

  test(`${inside}: blocks are listed, measured, counted and removed`, async t => {
    const { start } = await space(t, inside)
    const host = await start()
    const store = host.service(Blockstore)!
    const hash = await add(host, Buffer.from('loose'), { pin: false })
    const kept = await add(host, Buffer.from('kept for good'))
    const size = async (cid: string) => ((await host.call('block/stat', { args: [cid] })) as { Size: number }).Size
    const refs = async () => (await itemsOf<{ Ref: string }>(await host.call('refs/local'))).map(({ Ref }) => Ref)
    const counted = async () => {
      const sizes = await Promise.all((await refs()).map(size))
      return { blocks: sizes.length, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) }
    }
    deepEqual([await size(hash), await size(kept)], [5, 13])
    deepEqual(await store.totals!(), await counted())
    await itemsOf(await host.call('repo/gc'))
    const left = await refs()
    deepEqual([left.includes(hash), left.includes(kept)], [false, true])
    deepEqual(await cat(host, kept), Buffer.from('kept for good'))
    await rejects(cat(host, hash))
    await host.call('pin/rm', { args: [kept] })
    await itemsOf(await host.call('block/rm', { args: [kept] }))
    deepEqual((await refs()).includes(kept), false)
    deepEqual(await store.totals!(), await counted())
    await host.stop()
  })
}

test('a repo with blocks of an earlier version, which lie in a folder of their own, is not opened as an empty one', async t => {
  const { repo, start } = await space(t, 'storage-rocksdb')
  await mkdir(join(repo, 'encrypted-blocks'), { recursive: true })
  await rejects(start(), { message: /repo\/encrypted-blocks holds blocks of an earlier version of this plugin/ })
  deepEqual(await readdir(repo), ['encrypted-blocks'])
})

test('a block that was changed is an error, not another block, and to put it again mends it', async () => {
  const host = await testHost()
  const raw = fastBlocks(host.service(Blockstore)!)
  const store = new EncryptedBlockstore(raw, new Cipher(randomBytes(32)))
  const { multihash } = CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
  const before = new Set((await itemsOf<Uint8Array>(raw.listMultihashes())).map(hex))
  await store.putBytes(multihash.bytes, text)
  const name = (await itemsOf<Uint8Array>(raw.listMultihashes())).find(one => !before.has(hex(one)))!
  deepEqual((await itemsOf<Uint8Array>(store.listMultihashes())).map(hex), [hex(multihash.bytes)])
  const sealed = (await raw.getBytes(name))!
  for (const changed of [sealed.map((byte, i) => (i === sealed.length - 1 ? byte ^ 1 : byte)), sealed.subarray(0, 20)]) {
    await raw.deleteMultihash(name)
    await raw.putBytes(name, changed)
    await rejects(store.getBytes(multihash.bytes), { message: /was changed or cut short: it does not decrypt/ })
    await store.putBytes(multihash.bytes, text)
    deepEqual(Buffer.from((await store.getBytes(multihash.bytes))!), text)
  }
  await host.stop()
})

for (const inside of ['storage-rocksdb', 'storage-fs'] as const) {
  test(`${inside}: another key, or none, is told before anything starts, and nothing is shown or changed`, async t => {
    const { repo, keyFile, start } = await space(t, inside)
    const key = await readFile(keyFile)
    await rm(keyFile)
    await rejects(start(), { message: /there is no key at .*: make one with/ })
    await rejects(readdir(repo), { code: 'ENOENT' })
    await writeFile(keyFile, key)
    const first = await start()
    const hash = await add(first, text)
    await first.stop()
    const before = await filesIn(repo)
    await writeFile(keyFile, newKey())
    await rejects(start(), {
      message: /the key of 'encrypted-blocks' was "[0-9a-f]{16}" and is "[0-9a-f]{16}"\. Give the plugin its former settings/
    })
    await writeFile(keyFile, 'short')
    await rejects(start(), { message: /holds no key: 32 bytes in base64 are needed/ })
    await rejects(start([inside]), { message: /was written by 'encrypted-blocks' over '.*', and '.*' would not see its content/ })
    deepEqual(await filesIn(repo), before)
    await writeFile(keyFile, key)
    const again = await start()
    deepEqual(await cat(again, hash), text)
    await again.stop()
  })
}

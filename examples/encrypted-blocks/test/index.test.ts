import { deepEqual, ok, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Blockstore } from 'holdfast'
import { itemsOf, testHost, upload } from 'holdfast/testing'
import plugin from '../src/index.ts'

async function space(t: TestContext) {
  const at = await mkdtemp(join(tmpdir(), 'encrypted-blocks-'))
  t.after(() => rm(at, { recursive: true }))
  const [folder, keyFile] = [join(at, 'blocks'), join(at, 'key')]
  await writeFile(keyFile, randomBytes(32).toString('base64'))
  const configuration = { plugins: { 'encrypted-blocks': { folder, keyFile } }, services: { blockstore: 'encrypted-blocks' } }
  return { folder, keyFile, start: () => testHost({ plugins: [plugin], configuration }) }
}

type Host = Awaited<ReturnType<typeof testHost>>

async function add(host: Host, bytes: Uint8Array, options: object = {}): Promise<string> {
  const [added] = await itemsOf<{ Hash: string }>(await host.call('add', { body: upload(bytes), options: { ...options, rawLeaves: true } }))
  return added!.Hash
}

const cat = async (host: Host, hash: string) => Buffer.concat(await itemsOf<Uint8Array>(await host.call('cat', { args: [hash] })))

const text = Buffer.from('a secret that nobody else should read '.repeat(20_000))

test('what was added comes back, and lies encrypted', async t => {
  const { folder, start } = await space(t)
  const host = await start()
  const hash = await add(host, text)
  deepEqual(await cat(host, hash), text)
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
  ok(files.length > 3)
  for (const { parentPath, name } of files) ok(!(await readFile(join(parentPath, name))).includes('secret'))
  await host.stop()
  const again = await start()
  deepEqual(await cat(again, hash), text)
  await again.stop()
})

test('blocks are listed, measured, counted and removed', async t => {
  const { start } = await space(t)
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

test('another key is refused by name, and so is none', async t => {
  const { keyFile, start } = await space(t)
  await (await start()).stop()
  await writeFile(keyFile, randomBytes(32).toString('base64'))
  await rejects(start(), { message: /the key in .* is not the one that the blocks in .* are encrypted with/ })
  await writeFile(keyFile, 'short')
  await rejects(start(), { message: /holds no key: 32 bytes in base64 are needed/ })
  await rm(keyFile)
  await rejects(start(), { message: /there is no key at .*: make one with/ })
})

test('a file that was changed is an error, not another block', async t => {
  const { folder, start } = await space(t)
  const host = await start()
  const hash = await add(host, Buffer.from('untouched'))
  const files = (await readdir(folder, { recursive: true })).filter(name => /[0-9a-f]{64}$/.test(name))
  for (const file of files) {
    const bytes = await readFile(join(folder, file))
    bytes[bytes.length - 1]! ^= 1
    await writeFile(join(folder, file), bytes)
  }
  await rejects(cat(host, hash), { message: /was changed or cut short: it does not decrypt/ })
  await host.stop()
})

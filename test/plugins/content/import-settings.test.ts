import test, { type ExecutionContext } from 'ava'
import type { Json } from '../../../core/index.ts'
import { itemsOf, testHost, upload } from '../../../host/testing.ts'

async function hostWith(t: ExecutionContext, node: Readonly<Record<string, Json>>) {
  const host = await testHost({ node })
  t.teardown(() => host.stop())
  const add = async (files: string | Readonly<Record<string, string>>, options: Record<string, unknown> = {}) =>
    (await itemsOf<{ Hash: string }>(await host.call('add', { options, body: upload(files) }))).at(-1)!.Hash
  const entry = async (path: string) => ((await host.call('files/stat', { args: [path] })) as { Hash: string }).Hash
  return { host, add, entry }
}

const FOLDER = { 'd/first name': 'a', 'd/second name': 'b' }

test('a folder is sharded by the size and the way to reckon it that Import names, in add and in the mutable tree', async t => {
  const plain = await (await hostWith(t, {})).add(FOLDER)
  const size = { 'Import.UnixFSHAMTDirectorySizeThreshold': '80B' }
  const sharded = await hostWith(t, size)
  const hash = await sharded.add(FOLDER)
  t.not(hash, plain)
  t.is(await (await hostWith(t, { 'Internal.UnixFSShardingSizeThreshold': '80B' })).add(FOLDER), hash, 'as the older key says it')
  const disabled = await hostWith(t, { ...size, 'Import.UnixFSHAMTDirectorySizeEstimation': 'disabled' })
  t.is(await disabled.add(FOLDER), plain)
  for (const [{ host, add, entry }, wanted] of [
    [sharded, hash],
    [disabled, plain]
  ] as const) {
    await host.call('files/mkdir', { args: ['/d'] })
    for (const [path, text] of Object.entries(FOLDER)) {
      const file = await add(text)
      await host.call('files/cp', { args: [`/ipfs/${file}`, `/${path}`] })
    }
    t.is(await entry('/d'), wanted)
  }
})

test('by names and CIDs a folder is smaller than by its block', async t => {
  // both names and twice 34 is 84, the block has more than 100
  const size = { 'Import.UnixFSHAMTDirectorySizeThreshold': '100B' }
  const names = { 'd/first name': 'a', 'd/second': 'b' }
  const plain = await (await hostWith(t, {})).add(names)
  t.is(await (await hostWith(t, size)).add(names), plain)
  t.not(await (await hostWith(t, { ...size, 'Import.UnixFSHAMTDirectorySizeEstimation': 'block' })).add(names), plain)
})

test('files are laid out as Import says, unless the caller does', async t => {
  const text = '0123456789'.repeat(100)
  const options = { chunker: 'size-10', maxFileLinks: 3 }
  const usual = await hostWith(t, {})
  const [balanced, trickle] = [await usual.add(text, options), await usual.add(text, { ...options, trickle: true })]
  t.not(balanced, trickle)
  const other = await hostWith(t, { 'Import.UnixFSDAGLayout': 'trickle' })
  t.is(await other.add(text, options), trickle)
  t.is(await other.add(text, { ...options, trickle: false }), balanced)
})

test('what Import says that nobody understands is named, and refused before anything is added', async t => {
  for (const [key, words] of [
    ['Import.UnixFSDAGLayout', '"balanced", "trickle"'],
    ['Import.UnixFSHAMTDirectorySizeEstimation', '"links", "block", "disabled"']
  ] as const) {
    const error = await t.throwsAsync(async () => (await hostWith(t, { [key]: 'other' })).add('text'))
    t.true(error?.message.includes(`${key} is "other": it is none of these; allowed: ${words}`), error?.message)
  }
})

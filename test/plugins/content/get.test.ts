import { gunzipSync } from 'node:zlib'
import test from 'ava'
import { saving } from '../../../plugins/content/saving.ts'
import { tarNames } from '../../helpers/streams.ts'
import { bytesOf, contentHost } from './helpers.ts'

test('get answers a tar archive whose root is called as the path ends', async t => {
  const { host, at } = await contentHost(t)
  const of = async (path: string) => tarNames((await bytesOf(host.call('get', { args: [path] }))).bytes)
  t.deepEqual(await of(`${at.folder}/sub/`), ['sub', 'sub/again'])
  t.deepEqual(await of(`/ipfs/${at.folder}/text`), ['text'])
  t.is((await of(String(at.folder)))[0], String(at.folder))
})

test('get compresses a file as it is, anything as an archive, and no folder as it is', async t => {
  const { host, at } = await contentHost(t)
  const of = (path: string, options: Record<string, unknown>) =>
    bytesOf(host.call('get', { args: [path], options: { compress: true, ...options } }))
  t.is(gunzipSync((await of(String(at.text), {})).bytes).toString(), 'text\n')
  t.is(gunzipSync((await of(String(at.link), { compressionLevel: 9 })).bytes).toString(), 'large')
  t.deepEqual(await tarNames(gunzipSync((await of(`${at.folder}/sub`, { archive: true })).bytes)), ['sub', 'sub/again'])
  t.deepEqual(await of(String(at.folder), {}), { bytes: Buffer.alloc(0), error: 'file is not regular' })
})

test('get knows the levels 1 to 9, where it compresses', async t => {
  const { host, at } = await contentHost(t)
  for (const compressionLevel of [0, 10, -1]) {
    await t.throwsAsync(host.call('get', { args: [String(at.text)], options: { compress: true, compressionLevel } }), {
      message: 'compression level must be between 1 and 9'
    })
    t.is((await bytesOf(host.call('get', { args: [String(at.text)], options: { compressionLevel } }))).error, undefined)
  }
})

test('a block that is missing ends get, compressed or not', async t => {
  const { host, blocks, at } = await contentHost(t)
  blocks.delete(at.part)
  for (const options of [{}, { compress: true }, { compress: true, archive: true }]) {
    t.is((await bytesOf(host.call('get', { args: [String(at.large)], options }))).error, 'failed to fetch all nodes')
  }
})

test('what is got is saved under the name that its path leads to, never above the folder', t => {
  for (const [path, name] of [
    ['CID', 'CID'],
    ['/ipfs/CID/a/', 'a'],
    ['CID/s/..', 'CID'],
    ['CID/s/.', 's'],
    ['CID/s/t/../..', 'CID']
  ] as const) {
    t.is(saving(path, {}).to, name, path)
    t.is(saving(path, { archive: true }).to, `${name}.tar`, path)
  }
})

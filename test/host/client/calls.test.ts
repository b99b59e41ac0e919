import test from 'ava'
import { itemsOf } from '../../../host/testing.ts'
import { third } from '../../helpers/declared.ts'
import { all as fakes } from '../rpc/support/commands.ts'
import { openTestRpc } from '../rpc/support/rpc.ts'
import { textOf, ways } from './node.ts'

for (const [way, make] of ways) {
  test(`${way}: each kind of reply comes as what it is`, async t => {
    const { url } = await openTestRpc(t, { commands: fakes, plugins: [third] })
    const client = make({ url, commands: third.commands })
    t.deepEqual(await client.callAny('one'), { Text: '<&>\u2028é', Nothing: null })
    t.deepEqual(await itemsOf(await client.callAny('count', { options: { count: 4 } })), [{ N: 0 }, { N: 1 }, { N: 2 }, { N: 3 }])
    t.deepEqual(await itemsOf(await client.callAny('count', { options: { count: 0 } })), [])
    t.deepEqual(await client.callAny('acme/either'), { Done: true })
    t.deepEqual(await itemsOf(await client.callAny('acme/either', { options: { progress: true } })), [{ Part: 1 }, { Part: 2 }])
    t.is(await client.callAny('acme/silent'), undefined)
    t.is(await textOf(await client.callAny('echo', { body: 'héllo' })), 'héllo')
  })

  test(`${way}: whole numbers of 64 bits arrive in full`, async t => {
    const { url } = await openTestRpc(t, { plugins: [third] })
    const answer = (await make({ url }).callAny('acme/everything', { args: ['/'] })) as Record<string, unknown>
    t.is(answer['Large'], 18_446_744_073_709_551_615n)
    t.is(answer['Either'], 9_007_199_254_740_993n)
    t.is(answer['Time'], '1970-01-01T00:00:00Z')
    t.deepEqual(answer['Kinds'], { a: [1] })
  })

  test(`${way}: arguments by name or in order, options of every kind`, async t => {
    const { url } = await openTestRpc(t, { commands: fakes })
    const client = make({ url, commands: fakes })
    const options = {
      flag: true,
      size: 18_446_744_073_709_551_615n,
      small: -3,
      ratio: 0.5,
      list: ['a', 'b&c'],
      wait: 1_500_000_000n,
      offline: true
    }
    const said = await client.callAny('say', { args: { others: ['2', '3'], first: '1 é' }, options })
    t.deepEqual(said, {
      first: '1 é',
      others: ['2', '3'],
      flag: true,
      size: 18_446_744_073_709_551_615n,
      small: -3,
      ratio: 0.5,
      list: ['a', 'b&c'],
      wait: 1_500_000_000,
      offline: true,
      encoding: 'json'
    })
    t.like(await client.callAny('say', { args: ['1', '2'] }), { first: '1', others: ['2'] })
    t.like(await client.callAny('say', { args: { first: '1' }, options: { flag: undefined } }), { first: '1', others: [] })
  })

  test(`${way}: uploads take content in every form, in order, folders and links too`, async t => {
    const { url } = await openTestRpc(t, { commands: fakes })
    const client = make({ url })
    const bytes = new TextEncoder().encode('bytes')
    const chunks = async function* () {
      yield 'ch'
      yield new TextEncoder().encode('unks')
    }
    const uploads = [
      [{ path: 'd/text é.txt', content: 'text' }, '/d/text é.txt', 'text'],
      [{ path: 'd/bytes+', content: bytes }, '/d/bytes+', 'bytes'],
      [{ path: 'buffer', content: bytes.buffer as ArrayBuffer }, '/buffer', 'bytes'],
      [{ path: 'blob', content: new Blob(['bl', 'ob']) }, '/blob', 'blob'],
      [{ path: 'stream', content: new Blob(['stream']).stream() as ReadableStream<Uint8Array> }, '/stream', 'stream'],
      [{ path: 'chunks', content: chunks() }, '/chunks', 'chunks'],
      [{ path: 'list', content: [bytes, bytes] }, '/list', 'bytesbytes'],
      [{ path: 'empty', content: '' }, '/empty', ''],
      [{ path: 'folder' }, '/folder', '', 'directory'],
      [{ path: 'link', kind: 'symlink', content: '../target' }, '/link', '../target', 'symlink'],
      [{ path: 'ref', content: 'r', absPath: '/home/ü/ref' }, '/ref', 'r'],
      [new File(['file'], 'named.txt'), '/named.txt', 'file']
    ] as const
    const body = uploads.map(([part]) => part)
    const parts = await itemsOf<Record<string, string>>(await client.callAny('parts', { body, options: { read: true } }))
    t.deepEqual(
      parts.map(({ Path, Kind, Data }) => [Path, Data, Kind]),
      uploads.map(([, path, data, kind = 'file']) => [path, data, kind])
    )
    t.is(parts[10]!['AbsPath'], '/home/ü/ref')
  })

  test(`${way}: one file needs no list`, async t => {
    const { url } = await openTestRpc(t, { commands: fakes })
    const client = make({ url })
    const echo = async (body: Parameters<typeof client.callAny>[1] extends infer R ? (R extends { body?: infer B } ? B : never) : never) =>
      textOf(await client.callAny('echo', { body }))
    t.is(await echo('text'), 'text')
    t.is(await echo(new Uint8Array([0x61])), 'a')
    t.is(await echo(new Blob(['blob'])), 'blob')
    t.is(await echo({ content: 'part' }), 'part')
    t.is(await echo([new Uint8Array([0x61]), new Uint8Array([0x62])]), 'ab')
    const parts = async function* () {
      yield { path: 'a', content: '1' }
      yield { path: 'b', content: '2' }
    }
    t.is(await echo(parts()), '12')
    t.is(await echo([]), '')
  })

  test(`${way}: a large upload comes back as it was, and tells how far it is`, async t => {
    const { url } = await openTestRpc(t, { commands: fakes })
    const chunk = new Uint8Array(65_536).map((_, i) => i % 251)
    const content = async function* () {
      for (let i = 0; i < 64; i++) yield chunk
    }
    const sent: number[] = []
    const received: number[] = []
    const answer = await make({ url }).callAny('echo', {
      body: { content: content() },
      onProgress: ({ direction, bytes }) => (direction === 'sent' ? sent : received).push(bytes)
    })
    const back = Buffer.concat(await itemsOf<Uint8Array>(answer))
    t.is(back.length, 64 * 65_536)
    t.true(back.equals(Buffer.concat(Array.from({ length: 64 }, () => chunk))))
    t.is(received.at(-1), back.length)
    // a whole body goes out as one: how far it is nobody tells
    if (way.includes('whole')) t.deepEqual(sent, [])
    else t.true(sent.at(-1)! > back.length)
  })
}

/** Files whose nodes say what is not so, and files that become others while they are written. */
import test, { type ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { openPb, writePb } from '../../../core/dag/index.ts'
import { Blocks, type Mfs, Mfs as MfsToken } from '../../../core/index.ts'
import { NO_NAME } from '../../../core/unixfs/index.ts'
import { testHost } from '../../../host/testing.ts'
import { importCase } from '../../cases/import.ts'
import { varint } from '../../core/cid/encoded-varint.ts'
import { treeOf } from './helpers.ts'

const LEAF = Buffer.from('four')

async function newTree(t: ExecutionContext) {
  const host = await testHost()
  t.teardown(() => host.stop())
  const blocks = host.service(Blocks)!
  const put = async (codec: number, bytes: Uint8Array) => {
    const cid = CID.createV1(codec, await sha256.digest(bytes))
    await blocks.put(cid, bytes)
    return cid
  }
  return { tree: treeOf(host), mfs: host.service(MfsToken) as Mfs, put, blocks }
}

function unixfs(shares: readonly bigint[], size?: bigint): Uint8Array {
  const declared = size === undefined ? [] : [0x18, ...varint(size)]
  return Uint8Array.from([0x08, 0x02, ...declared, ...shares.flatMap(share => [0x20, ...varint(share)])])
}

test('a file whose node says what is not so is an error that names it, stays as it was, and can be written anew', async t => {
  const { tree, put } = await newTree(t)
  const leaf = await put(0x55, LEAF)
  const lies: Array<[shares: bigint[], size: bigint | undefined, tsize: bigint, offset: bigint, message: RegExp]> = [
    [[2n], 2n, 4n, 0n, /one has 4 bytes, and not 2$/],
    [[10n], 10n, 4n, 0n, /one has 4 bytes, and not 10$/],
    [[4n], 100n, 4n, 4n, /says that it has 100 bytes, and its parts have 4$/],
    [[2n ** 60n], 4n, 4n, 4n, /says that it has 1152921504606846976 bytes$/],
    [[2n ** 63n, 2n ** 63n], undefined, 4n, 0n, /says that it has 18446744073709551616 bytes$/],
    [[4n, 2n ** 53n - 1n], 4n, 4n, 4n, /says that it has 9007199254740996 bytes$/],
    [[4n], 4n, 2n ** 53n, 0n, /say that there are 9007199254740992 bytes below them$/],
    [[4n], 4n, 2n ** 64n - 1n, 4n, /say that there are \d+ bytes below them$/]
  ]
  for (const [i, [shares, size, tsize, offset, message]] of lies.entries()) {
    const links = shares.map(() => ({ cid: leaf.bytes, name: NO_NAME, size: tsize }))
    const root = await put(0x70, writePb(links, unixfs(shares, size)))
    const path = `/lie${i}`
    await tree.call('files/cp', [`/ipfs/${root}`, path])
    await t.throwsAsync(tree.write(path, 'xy', { offset }), { message }, path)
    t.is((await tree.stat(path)).Hash, root.toString(), path)
    await tree.write(path, 'anew', { truncate: true })
    t.is(await tree.read(path), 'anew', path)
  }
})

test('what is written behind a last part that lies about its size is found where it was written', async t => {
  const { tree, put } = await newTree(t)
  const leaf = await put(0x55, LEAF)
  const link = { cid: leaf.bytes, name: NO_NAME, size: 4n }
  const root = await put(0x70, writePb([link, link], unixfs([4n, 100n], 104n)))
  await tree.call('files/cp', [`/ipfs/${root}`, '/f'])
  await tree.write('/f', 'xy', { offset: 104n })
  t.is((await tree.stat('/f')).Size, 106n)
  t.is(await tree.read('/f', { offset: 104n }), 'xy')
  t.is(await tree.read('/f', { count: 4n }), 'four')
  await t.throwsAsync(tree.write('/f', 'z', { offset: 50n }), { message: /one has 4 bytes, and not 100$/ })
})

test('a file that does not say how large it is, but how large its parts are, is written into', async t => {
  const { tree, put } = await newTree(t)
  const leaf = await put(0x55, LEAF)
  const root = await put(0x70, writePb([{ cid: leaf.bytes, name: NO_NAME, size: 4 }], unixfs([4n])))
  await tree.call('files/cp', [`/ipfs/${root}`, '/f'])
  await tree.write('/f', 'xy', { offset: 3n })
  t.is(await tree.read('/f'), 'fouxy')
})

test('a mode is not given to a file by way of another size', async t => {
  const { tree, put } = await newTree(t)
  const leaf = await put(0x55, LEAF)
  const root = await put(0x70, writePb([{ cid: leaf.bytes, name: NO_NAME, size: 2n ** 53n + 1n }], unixfs([4n], 4n)))
  await tree.call('files/cp', [`/ipfs/${root}`, '/f'])
  await t.throwsAsync(tree.call('files/chmod', ['0644', '/f']), { message: /bytes below them$/ })
  t.is((await tree.stat('/f')).Hash, root.toString())
})

for (const [what, start] of [
  ['is there', 'old'],
  ['is made', undefined]
] as const)
  test(`what is moved or copied to a file's place while the file ${what} is not lost`, async t => {
    const { tree, mfs } = await newTree(t)
    const meanwhile = (work: () => Promise<void>, fails = false) =>
      (async function* () {
        yield Buffer.from('x')
        await work()
        if (fails) throw new Error('the upload broke')
      })()
    for (const [i, put] of [
      (path: string) => mfs.move('/source', path),
      (path: string) => mfs.copy('/source', path, { force: true })
    ].entries()) {
      const path = `/f${i}`
      for (const fails of [false, true]) {
        await tree.write('/source', 'precious')
        if (start !== undefined) await tree.write(path, start, { truncate: true })
        const message = fails ? 'the upload broke' : `${path} became another file while it was written; nothing was written, try again`
        await t.throwsAsync(
          mfs.write(
            path,
            meanwhile(() => put(path), fails),
            { create: true }
          ),
          { message }
        )
        t.is(await tree.read(path), 'precious')
        await mfs.remove(path)
        await mfs.remove('/source', { force: true })
      }
    }
  })

test('the links of a file that are not written to stay as they are', async t => {
  const { tree, put, blocks } = await newTree(t)
  const leaf = await put(0x55, LEAF)
  // odd, but nothing that cannot be written again
  const odd = 2 ** 52 + 1
  const root = await put(
    0x70,
    writePb(
      [leaf, leaf].map((cid, i) => ({ cid: cid.bytes, name: NO_NAME, size: i * odd })),
      unixfs([4n, 4n], 8n)
    )
  )
  await tree.call('files/cp', [`/ipfs/${root}`, '/f'])
  await tree.write('/f', 'F', { offset: 0n })
  const node = openPb(await blocks.get(CID.parse((await tree.stat('/f')).Hash)))
  t.is(node.size(1), odd)
  t.deepEqual(node.cid(1), leaf)
})

for (const name of ['liar', 'no-blocksizes', 'inner-data'])
  test(`files/read gives of ${name}.car what cat gives, from any offset, or the same error`, async t => {
    const { tree } = await newTree(t)
    const root = await importCase(tree.host, name)
    await tree.call('files/cp', [`/ipfs/${root}`, '/f'])
    const answer = async (path: string, arg: string, options: object) => {
      try {
        const pieces: Uint8Array[] = []
        for await (const piece of await tree.call<AsyncIterable<Uint8Array>>(path, [arg], options as never))
          pieces.push(new Uint8Array(piece))
        return Buffer.concat(pieces).toString('base64')
      } catch (error) {
        return (error as Error).message
      }
    }
    for (const offset of [undefined, 1n, 3n, 7n, 14n])
      t.is(await answer('files/read', '/f', { offset }), await answer('cat', `/ipfs/${root}`, { offset }), `${offset}`)
    await tree.write('/f', 'anew', { truncate: true })
    t.is(await tree.read('/f'), 'anew')
  })

test('a file whose nodes have bytes of their own is refused where a write comes upon them, stays as it was, and can be written anew', async t => {
  const { tree } = await newTree(t)
  const root = await importCase(tree.host, 'inner-data')
  await tree.call('files/cp', [`/ipfs/${root}`, '/f'])
  const whole = await tree.read('/f')
  t.is(whole.length, 20)
  await t.throwsAsync(tree.write('/f', 'x', { offset: 12n }), { message: /bytes of its own before its parts/ })
  t.is(await tree.read('/f'), whole)
  await tree.write('/f', 'behind', { offset: 20n })
  t.is(await tree.read('/f'), `${whole}behind`)
  await tree.write('/f', 'anew', { truncate: true })
  t.is(await tree.read('/f'), 'anew')
})

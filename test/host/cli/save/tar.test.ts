import { readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import tar from 'tar-stream'
import { membersOf } from '../../../../core/tar/reader.ts'
import { unpack } from '../../../../host/cli/save/unpack.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { gathered } from '../../../helpers/streams.ts'

interface TarEntry {
  readonly name: string
  readonly type?: 'file' | 'directory' | 'symlink'
  readonly data?: string | Buffer
  readonly linkname?: string
}

function packed(entries: readonly TarEntry[]): AsyncIterable<Uint8Array> {
  const pack = tar.pack()
  for (const { name, type = 'file', data = '', linkname } of entries) pack.entry({ name, type, linkname }, data)
  pack.finalize()
  return pack as AsyncIterable<Uint8Array>
}

/** The same bytes in pieces of a length. */
async function* inPieces(bytes: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) for (let at = 0; at < chunk.length; at += length) yield chunk.subarray(at, at + length)
}

test('every archive that tar-stream writes is read again, however it is cut', async t => {
  const name = fc.stringMatching(/^[a-zäß€]{1,120}$/)
  const entry = fc.record({
    names: fc.array(name, { minLength: 1, maxLength: 4 }),
    data: fc.uint8Array({ maxLength: 2000 }),
    link: fc.option(name, { nil: undefined })
  })
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 6 }), fc.integer({ min: 1, max: 3000 }), async (list, length) => {
      const entries = list.map(
        ({ names, data, link }): TarEntry => ({
          name: names.join('/'),
          ...(link === undefined ? { data: Buffer.from(data) } : { type: 'symlink', linkname: link })
        })
      )
      const read: TarEntry[] = []
      for await (const { path, type, target, bytes } of membersOf(inPieces(packed(entries), length))) {
        const data = await gathered(bytes())
        read.push(type === 'symlink' ? { name: path, type, linkname: target } : { name: path, data })
      }
      t.deepEqual(read, entries)
    }),
    { numRuns: 60 }
  )
})

test('bytes that nobody reads are skipped', async t => {
  const names: string[] = []
  for await (const { path } of membersOf(
    packed([
      { name: 'a', data: 'x'.repeat(5000) },
      { name: 'b', data: 'y' }
    ])
  ))
    names.push(path)
  t.deepEqual(names, ['a', 'b'])
})

test('an archive that ends early or is none is an error', async t => {
  const whole = await gathered(packed([{ name: 'a', data: 'x'.repeat(5000) }]))
  const read = async (bytes: Uint8Array) => {
    for await (const { bytes: inner } of membersOf(inPieces({ [Symbol.asyncIterator]: () => [bytes][Symbol.iterator]() as never }, 512)))
      await gathered(inner())
  }
  for (const end of [0, 100, 512, 3000, 5632]) await t.throwsAsync(read(whole.subarray(0, end)), { code: 'E_TAR' }, String(end))
  await t.throwsAsync(read(Buffer.alloc(1024, 'x')), { code: 'E_TAR' })
  await t.notThrowsAsync(read(whole))
})

async function stored(t: ExecutionContext, entries: readonly TarEntry[]) {
  const folder = await temporaryFolder(t)
  await unpack(packed(entries), join(folder, 'to'), () => {})
  t.deepEqual(await readdir(folder), ['to'], 'nothing temporary is left')
  return join(folder, 'to')
}

async function refused(t: ExecutionContext, entries: readonly TarEntry[], code = 'E_SAVE_NAME') {
  const folder = await temporaryFolder(t)
  await t.throwsAsync(
    unpack(packed(entries), join(folder, 'deep'), () => {}),
    { code },
    JSON.stringify(entries)
  )
  t.deepEqual(await readdir(folder), [], 'nothing is left')
}

const root: TarEntry = { name: 'root', type: 'directory' }

test('a folder is stored with all in it, under the name that was asked for', async t => {
  const to = await stored(t, [
    root,
    { name: 'root/a', data: 'one' },
    { name: 'root/sub', type: 'directory' },
    { name: `root/sub/${'long'.repeat(50)}`, data: 'two' },
    { name: 'root/link', type: 'symlink', linkname: '../../etc/passwd' }
  ])
  t.is(await readFile(join(to, 'a'), 'utf8'), 'one')
  t.is(await readFile(join(to, 'sub', 'long'.repeat(50)), 'utf8'), 'two')
  t.is(await readlink(join(to, 'link')), '../../etc/passwd')
})

test('names that would leave the target are refused, and nothing stays', async t => {
  for (const name of ['root/../../out', 'root/..', 'root/./a', '/root/a', '../root', 'other/a', 'root//a', 'other']) {
    await refused(t, [root, { name: 'root/before', data: 'x' }, { name, data: 'x' }])
  }
  for (const name of ['..', '.', 'a/b', '/abs', '../x']) await refused(t, [{ name, data: 'x' }])
})

test('nothing is stored through a symlink of the archive', async t => {
  const outside = await temporaryFolder(t)
  await refused(t, [root, { name: 'root/l', type: 'symlink', linkname: outside }, { name: 'root/l/x', data: 'x' }])
  await refused(t, [root, { name: 'root/l', type: 'symlink', linkname: outside }, { name: 'root/l', data: 'x' }])
  await refused(t, [root, { name: 'root/d', type: 'directory' }, { name: 'root/d', type: 'symlink', linkname: outside }])
  await refused(t, [
    { name: 'root', type: 'symlink', linkname: outside },
    { name: 'root/x', data: 'x' }
  ])
  t.deepEqual(await readdir(outside), [])
})

test('nor through a symlink that lies at the target', async t => {
  const [folder, outside] = [await temporaryFolder(t), await temporaryFolder(t)]
  await symlink(outside, join(folder, 'to'))
  await t.throwsAsync(
    unpack(packed([root, { name: 'root/x', data: 'x' }]), join(folder, 'to'), () => {}),
    { code: 'E_SAVE_EXISTS' }
  )
  t.deepEqual(await readdir(outside), [])
})

test('a file replaces a file, goes into a folder, and a folder never replaces a file', async t => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'to'), 'old')
  await unpack(packed([{ name: 'f', data: 'new' }]), join(folder, 'to'), () => {})
  t.is(await readFile(join(folder, 'to'), 'utf8'), 'new')
  await t.throwsAsync(
    unpack(packed([root]), join(folder, 'to'), () => {}),
    { code: 'E_SAVE_EXISTS' }
  )
  await unpack(packed([root, { name: 'root/a', data: '1' }]), join(folder, 'dir'), () => {})
  await unpack(packed([{ name: 'f', data: 'inside' }]), join(folder, 'dir'), () => {})
  await unpack(packed([root, { name: 'root/a', data: '2' }, { name: 'root/b', data: '3' }]), join(folder, 'dir'), () => {})
  t.deepEqual((await readdir(join(folder, 'dir'))).sort(), ['a', 'b', 'f'])
  t.is(await readFile(join(folder, 'dir', 'a'), 'utf8'), '2')
  t.is((await stat(join(folder, 'dir', 'f'))).size, 6)
})

test('an archive that breaks off leaves nothing, and what was there stays', async t => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'to'), 'old')
  async function* broken() {
    yield (await gathered(packed([{ name: 'f', data: 'x'.repeat(100_000) }]))).subarray(0, 50_000)
    throw new Error('cut off')
  }
  await t.throwsAsync(
    unpack(broken(), join(folder, 'to'), () => {}),
    { message: 'cut off' }
  )
  t.deepEqual(await readdir(folder), ['to'])
  t.is(await readFile(join(folder, 'to'), 'utf8'), 'old')
})

test('devices, pipes and hard links are refused, and nothing stays', async t => {
  const outside = join(await temporaryFolder(t), 'outside')
  await writeFile(outside, 'mine')
  for (const type of ['character-device', 'block-device', 'fifo', 'link'] as const) {
    const pack = tar.pack()
    pack.entry({ name: 'root', type: 'directory' })
    pack.entry({ name: 'root/x', type, linkname: outside, devmajor: 1, devminor: 3 })
    pack.finalize()
    const folder = await temporaryFolder(t)
    const unpacked = unpack(pack as AsyncIterable<Uint8Array>, join(folder, 'to'), () => {})
    await t.throwsAsync(unpacked, { code: 'E_TAR', message: /an entry of kind/ }, type)
    t.deepEqual(await readdir(folder), [], 'nothing is left')
  }
  t.is(await readFile(outside, 'utf8'), 'mine')
})

test('modes and owners in an archive mean nothing: no file that is stored is a program, or runs as somebody else', async t => {
  const folder = await temporaryFolder(t)
  const pack = tar.pack()
  pack.entry({ name: 'root', type: 'directory', mode: 0o7777, uid: 12, gid: 12 })
  pack.entry({ name: 'root/x', mode: 0o7777, uid: 12, gid: 12 }, 'x')
  pack.finalize()
  await unpack(pack as AsyncIterable<Uint8Array>, join(folder, 'to'), () => {})
  const [dir, file] = await Promise.all([stat(join(folder, 'to')), stat(join(folder, 'to', 'x'))])
  t.is(file.mode & 0o7111, 0)
  t.is(dir.mode & 0o7000, 0)
  t.deepEqual([file.uid, dir.uid], [(await stat(folder)).uid, (await stat(folder)).uid])
})

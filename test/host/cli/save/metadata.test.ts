import { chmod, lstat, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import tar from 'tar-stream'
import { unpack } from '../../../../host/cli/save/unpack.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'

/** Permissions and second of each entry of a folder, by its path. */
async function metadataOf(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of ['', ...(await readdir(folder, { recursive: true })).sort()]) {
    const { mode, mtimeMs } = await lstat(join(folder, name))
    found[name] = `${(mode & 0o7777).toString(8)} ${Math.floor(mtimeMs / 1000)}`
  }
  return found
}

const LEVEL = { HOLDFAST_RPC_LEVEL: '0.42' }

test('what was added with its modes and times comes back with them', async t => {
  const cwd = await temporaryFolder(t)
  const from = join(cwd, 'from')
  await mkdir(join(from, 'closed'), { recursive: true })
  await writeFile(join(from, 'a.txt'), 'alpha')
  await writeFile(join(from, 'closed', 'run.sh'), '#!')
  await symlink('a.txt', join(from, 'link'))
  await chmod(join(from, 'a.txt'), 0o640)
  await chmod(join(from, 'closed', 'run.sh'), 0o755)
  await utimes(join(from, 'a.txt'), 1_500_000_000, 1_500_000_000)
  await utimes(join(from, 'closed', 'run.sh'), 1_400_000_000, 1_400_000_000)
  await writeFile(join(from, 'old.txt'), 'from before 1970')
  await utimes(join(from, 'old.txt'), new Date(-315_619_200_000), new Date(-315_619_200_000))
  await utimes(join(from, 'closed'), 1_300_000_000, 1_300_000_000)
  await chmod(join(from, 'closed'), 0o555)
  await utimes(from, 1_200_000_000, 1_200_000_000)
  t.teardown(() => Promise.all(['from', 'to'].map(name => chmod(join(cwd, name, 'closed'), 0o755).catch(() => {}))))
  const run = (...args: string[]) => commandLine(['--repo', join(cwd, 'repo'), ...args], { cwd, env: LEVEL })
  t.is((await run('init')).code, 0)
  const added = await run('add', '-r', '-Q', '--preserve-mode', '--preserve-mtime', 'from')
  t.is(added.code, 0, added.err)
  const got = await run('get', '-o', 'to', added.out.trim())
  t.is(got.code, 0, got.err)
  t.deepEqual(await metadataOf(join(cwd, 'to')), await metadataOf(from))
})

function archive(entries: ReadonlyArray<{ name: string; type?: 'directory'; mode: number; mtime: Date }>): AsyncIterable<Uint8Array> {
  const pack = tar.pack()
  for (const entry of entries) pack.entry(entry, entry.type === undefined ? 'x' : '')
  pack.finalize()
  return pack as AsyncIterable<Uint8Array>
}

/** An archive with modes of 0, which `tar-stream` takes for none. */
async function* closedArchive(entries: ReadonlyArray<readonly [name: string, mode: number, data?: string]>): AsyncGenerator<Uint8Array> {
  for (const [name, mode, data] of entries) {
    const header = Buffer.alloc(512)
    const octal = (value: number, width: number) => value.toString(8).padStart(width, '0')
    header.write(name)
    header.write(octal(mode, 7), 100)
    header.write(octal(data?.length ?? 0, 11), 124)
    header.write(octal(1_000_000_000, 11), 136)
    header.write(`        ${data === undefined ? 5 : 0}`, 148)
    header.write('ustar\x0000', 257)
    header.write(
      `${octal(
        header.reduce((sum, byte) => sum + byte),
        6
      )}\0 `,
      148
    )
    yield header
    if (data !== undefined) yield Buffer.from(data.padEnd(512, '\0'))
  }
  yield Buffer.alloc(1024)
}

test('what nobody may read by its mode is stored whole, then gets that mode, and is stored again over it', async t => {
  const at = await temporaryFolder(t)
  const to = join(at, 'to')
  t.teardown(() => chmod(join(to, 'sub'), 0o755))
  for (const data of ['first', 'second']) {
    const entries = [
      ['root/', 0o755],
      ['root/f', 0, data],
      ['root/sub/', 0]
    ] as const
    await unpack(closedArchive(entries), to, () => {}, undefined, true)
    t.like(await metadataOf(to), { f: '0 1000000000', sub: '0 1000000000' }, data)
    await chmod(join(to, 'f'), 0o600)
    t.is(await readFile(join(to, 'f'), 'utf8'), data)
    await chmod(join(to, 'f'), 0)
    await chmod(join(to, 'sub'), 0o755)
  }
})

const notRoot = process.getuid?.() === 0 ? test.skip : test

notRoot('over a folder that nobody may enter an error names what cannot be written', async t => {
  const at = await temporaryFolder(t)
  const to = join(at, 'to')
  const entries = [
    ['root/', 0],
    ['root/f', 0o644, 'x']
  ] as const
  t.teardown(() => chmod(to, 0o755))
  await unpack(closedArchive(entries), to, () => {}, undefined, true)
  const { message } = (await t.throwsAsync(
    unpack(closedArchive(entries), to, () => {}, undefined, true),
    { code: 'E_SAVE_FAILED' }
  ))!
  t.is(message, `cannot write '${join(to, 'f')}': permission denied`)
  t.deepEqual(await readdir(at), ['to'])
})

const mtime = new Date(1_000_000_000_000)
const entries = [
  { name: 'root', type: 'directory', mode: 0o500, mtime },
  { name: 'root/sub', type: 'directory', mode: 0o1777, mtime },
  { name: 'root/sub/set', mode: 0o6755, mtime },
  { name: 'root/z', mode: 0o400, mtime }
] as const

test('what was got of strangers does not run as who got it, and folders that nobody may change are moved before they are closed', async t => {
  const at = await temporaryFolder(t)
  const to = join(at, 'to')
  await unpack(archive(entries), to, () => {}, undefined, true)
  const second = '1000000000'
  t.deepEqual(await metadataOf(to), { '': `500 ${second}`, sub: `777 ${second}`, 'sub/set': `755 ${second}`, z: `400 ${second}` })
  await chmod(to, 0o700)
})

test('modes and times are left out where they are not asked for, as the command line of 0.28 does', async t => {
  const to = join(await temporaryFolder(t), 'to')
  await unpack(archive(entries), to, () => {})
  const plain = (await lstat(to)).mode & 0o777
  t.not(plain, 0o500)
  t.true((await lstat(join(to, 'z'))).mtimeMs > 1_000_000_000_000)
})

/** What is remembered of trusted folders. */
import { spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, readdir, readFile, realpath, rename, rm, rmdir, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { TrustedFolders } from '../../../../host/cli/trust/folders.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'

const modes = process.platform === 'win32' ? test.skip : test

async function some(t: ExecutionContext) {
  const top = await realpath(await temporaryFolder(t))
  const folders = new TrustedFolders(join(top, 'state', 'holdfast'))
  const made = async (name: string) => {
    await mkdir(join(top, name))
    return join(top, name)
  }
  return { top, folders, made }
}

test('a folder is trusted once it was added, by whatever path, and no folder above or below it', async t => {
  const { top, folders, made } = await some(t)
  const one = await made('one')
  await mkdir(join(one, 'below'))
  await symlink(one, join(top, 'link'))
  t.false(await folders.has(one))
  t.deepEqual(await folders.add(join(top, 'link')), { folder: one, isNew: true })
  t.deepEqual(await folders.add(one), { folder: one, isNew: false })
  t.true(await folders.has(one))
  t.true(await folders.has(join(top, 'link')))
  t.true(await folders.has(join(one, 'below', '..')))
  for (const other of [top, join(one, 'below'), join(top, 'none')]) t.false(await folders.has(other), other)
  t.deepEqual(await folders.list(), [{ folder: one, state: 'trusted' }])
})

test('no file that was written first is left: not where the record cannot take its place, and not by a process that was killed', async t => {
  const { folders, made } = await some(t)
  const [one, two] = [await made('one'), await made('two')]
  await folders.add(one)
  const [record] = await readdir(folders.path)
  await rm(join(folders.path, record!))
  // no file can be renamed to a folder
  await mkdir(join(folders.path, record!, 'x'), { recursive: true })
  await t.throwsAsync(folders.add(one), { message: new RegExp(record!) })
  t.deepEqual(await readdir(folders.path), [record])
  const left = join(folders.path, '.0123456789ab')
  const young = join(folders.path, '.0123456789ac')
  for (const file of [left, young]) await writeFile(file, 'half')
  await utimes(left, new Date(), new Date(Date.now() - 3_600_000))
  await rm(join(folders.path, record!), { recursive: true })
  await folders.add(two)
  const names = await readdir(folders.path)
  t.false(names.includes('.0123456789ab'))
  // another process may be writing that one
  t.true(names.includes('.0123456789ac'))
  t.deepEqual(
    (await folders.list()).map(({ folder }) => folder),
    [two]
  )
})

test('folders that are added at the same time are all remembered', async t => {
  const { folders, made } = await some(t)
  const names = await Promise.all(Array.from({ length: 20 }, (_, i) => made(`f${i}`)))
  await Promise.all([...names, ...names].map(name => new TrustedFolders(join(folders.path, '..')).add(name)))
  t.deepEqual(
    (await folders.list()).map(({ folder }) => folder),
    [...names].sort()
  )
  t.is((await readdir(folders.path)).length, names.length, 'nothing else is left')
})

test('one that is taken out is trusted no more, also when it is gone', async t => {
  const { folders, made } = await some(t)
  const [one, two] = [await made('one'), await made('two')]
  for (const folder of [one, two]) await folders.add(folder)
  t.deepEqual(await folders.remove(one), { folder: one, was: true })
  t.deepEqual(await folders.remove(one), { folder: one, was: false })
  await rmdir(two)
  t.deepEqual(await folders.list(), [{ folder: two, state: 'gone' }])
  t.deepEqual(await folders.remove(two), { folder: two, was: true })
  t.deepEqual(await folders.list(), [])
})

test('another folder that has the name now is not the one that was trusted', async t => {
  const { top, folders, made } = await some(t)
  const [one, two] = [await made('one'), await made('two')]
  const { birthtimeNs } = await stat(one, { bigint: true })
  if (birthtimeNs === 0n) return t.pass('this file system does not keep when a folder was made')
  for (const folder of [one, two]) await folders.add(folder)
  await rmdir(one)
  await mkdir(one)
  t.false(await folders.has(one), 'removed and made anew')
  await rename(two, join(top, 'three'))
  t.false(await folders.has(join(top, 'three')), 'a name that was not trusted')
  await rename(await made('foreign'), two)
  t.false(await folders.has(two), 'another one renamed to it')
  t.deepEqual(
    (await folders.list()).map(({ state }) => state),
    ['replaced', 'replaced']
  )
  await rm(two, { recursive: true })
  await rename(join(top, 'three'), two)
  t.true(await folders.has(two), 'the same one, back again')
  t.deepEqual(await folders.add(one), { folder: one, isNew: true })
  t.true(await folders.has(one))
})

test('in the overlay of a container a folder stays trusted when something is first written in it', async t => {
  const { folders, made } = await some(t)
  const [lower, upper, work, merged] = [await made('lower'), await made('upper'), await made('work'), await made('merged')]
  await mkdir(join(lower, 'app'))
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`
  if (spawnSync('mount', ['-t', 'overlay', 'overlay', '-o', options, merged]).status !== 0)
    return t.pass('left out: an overlay cannot be made here')
  try {
    const app = join(merged, 'app')
    const before = await stat(app, { bigint: true })
    await folders.add(app)
    await mkdir(join(app, 'data'))
    t.not((await stat(app, { bigint: true })).birthtimeNs, before.birthtimeNs)
    t.true(await folders.has(app))
  } finally {
    spawnSync('umount', [merged])
  }
})

test('a record counts only for the folder that it names, and one that was not written here for none', async t => {
  const { folders, made } = await some(t)
  const [one, two] = [await made('one'), await made('two')]
  await folders.add(one)
  const [first] = await readdir(folders.path)
  await folders.add(two)
  const second = (await readdir(folders.path)).find(name => name !== first)!
  await copyFile(join(folders.path, first!), join(folders.path, second))
  t.false(await folders.has(two))
  for (const text of ['', '{', '[]', '{"folder":1}', 'null']) {
    await writeFile(join(folders.path, first!), text)
    t.false(await folders.has(one), text)
  }
  await writeFile(join(folders.path, 'notes.txt'), 'x')
  t.deepEqual(await folders.list(), [])
})

test('what is no folder cannot be trusted', async t => {
  const { top, folders } = await some(t)
  await writeFile(join(top, 'file'), '')
  await t.throwsAsync(folders.add(join(top, 'file')), { code: 'E_TRUST_FOLDER' })
  await t.throwsAsync(folders.add(join(top, 'none')), { code: 'E_TRUST_FOLDER' })
})

modes('nor can a folder that others can write; and nothing is remembered where they could write that', async t => {
  const { folders, made } = await some(t)
  const one = await made('one')
  await chmod(one, 0o777)
  await t.throwsAsync(folders.add(one), { code: 'E_FILE_SHARED' })
  await chmod(one, 0o755)
  await mkdir(folders.path, { recursive: true })
  await chmod(join(folders.path, '..'), 0o777)
  await t.throwsAsync(folders.add(one), { code: 'E_FILE_SHARED' })
  t.deepEqual(await readdir(folders.path), [])
})

// nothing else runs meanwhile: the umask is the process's
const alone = process.platform === 'win32' ? test.skip : test.serial
alone('records are for this user alone, whatever the umask', async t => {
  const { top, folders, made } = await some(t)
  const before = process.umask(0)
  try {
    const one = await made('one')
    await chmod(one, 0o755)
    await folders.add(one)
  } finally {
    process.umask(before)
  }
  const [record] = await readdir(folders.path)
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777
  t.deepEqual(await Promise.all([join(top, 'state'), folders.path, join(folders.path, record!)].map(modeOf)), [0o700, 0o700, 0o600])
  t.like(JSON.parse(await readFile(join(folders.path, record!), 'utf8')), { folder: join(top, 'one') })
})

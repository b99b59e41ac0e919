import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { refused } from '../../../plugins/repo/errors.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { openRepo, refusal } from './harness.ts'

const CHILD = fileURLToPath(new URL('./permissions-child.js', import.meta.url))

/** The superuser may do anything, so the child is nobody where this process is the superuser. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

async function ofNobody(t: ExecutionContext): Promise<string> {
  const folder = await temporaryFolder(t)
  if (nobody.uid !== undefined) await chown(folder, nobody.uid, nobody.gid)
  return folder
}

async function opening(path: string, init = ''): Promise<string> {
  return (await promisify(execFile)(process.execPath, [CHILD, path, init], nobody)).stdout
}

test('a folder in which this user may not write is named, and nothing is left in it', async t => {
  const folder = await ofNobody(t)
  const repo = join(folder, 'repo')
  t.is(await opening(repo, 'init'), 'opened')
  await chmod(repo, 0o500)
  t.teardown(() => chmod(repo, 0o700))
  t.is(await opening(repo), `permission denied: this user may not write to ${repo}`)
  t.deepEqual((await readdir(repo)).sort(), ['config', 'version'])
})

test('a folder that this user may not make is named', async t => {
  const folder = await ofNobody(t)
  await mkdir(join(folder, 'closed'), { mode: 0o500 })
  if (nobody.uid !== undefined) await chown(join(folder, 'closed'), nobody.uid, nobody.gid)
  const repo = join(folder, 'closed', 'repo')
  t.is(await opening(repo, 'init'), `permission denied: this user may not create ${repo}`)
})

test('a configuration that this user may not read is named, and the lock is given back', async t => {
  const repo = join(await ofNobody(t), 'repo')
  t.is(await opening(repo, 'init'), 'opened')
  await chmod(join(repo, 'config'), 0)
  t.is(await opening(repo), `permission denied: this user may not read ${join(repo, 'config')}`)
  t.deepEqual((await readdir(repo)).sort(), ['config', 'version'])
})

test('what else a file system refuses is said in words', t => {
  const failure = (code: string) => refused(Object.assign(new Error(`${code}: no`), { code }), 'write', '/r/config').message
  t.is(failure('EROFS'), 'cannot write /r/config: the file system is read-only')
  t.is(failure('ENOSPC'), 'cannot write /r/config: ENOSPC: no')
  t.is(failure('EPERM'), 'permission denied: this user may not write /r/config')
})

test('an error that is one of ours is not wrapped again', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  await openRepo(t, { path, init: {} })
  const error = Object.assign(new Error('mine'), { code: 'E_REPO_LOCKED' })
  t.is(refused(error, 'write', path), error)
})

test('a folder that others could write is closed to them, and the log says so', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const made = await openRepo(t, { path: repo, init: {} })
  await made.stop()
  await chmod(repo, 0o777)
  await chmod(join(repo, 'config'), 0o622)
  const told: string[] = []
  await openRepo(t, { path: repo }, { error: text => told.push(String(text)) })
  t.is((await stat(repo)).mode & 0o777, 0o755)
  t.is((await stat(join(repo, 'config'))).mode & 0o777, 0o600)
  t.deepEqual(told, [
    `others could write ${repo} (mode 0777), which is closed to them now: look whether what lies there is yours`,
    `others could write ${join(repo, 'config')} (mode 0622), which is closed to them now: look whether what lies there is yours`
  ])
})

test('a configuration that others could read is closed to them, and the log says that they may know the key and what to do', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  await (await openRepo(t, { path: repo, init: {} })).stop()
  const config = join(repo, 'config')
  await chmod(config, 0o644)
  const told: string[] = []
  const log = { error: (text: unknown) => told.push(String(text)) }
  const open = await openRepo(t, { path: repo }, log)
  t.is((await stat(config)).mode & 0o777, 0o600)
  t.deepEqual(told, [
    `others could read ${config} (mode 0644), and may know the private key of this node that is in it: it is this user's alone now, and 'holdfast key rotate --oldkey=before' gives the node another key`
  ])
  await open.stop()
  await openRepo(t, { path: repo }, log)
  t.is(told.length, 1)
})

const privileged = process.getuid?.() === 0 ? test : test.skip

privileged('a folder and a configuration that belong to another user are refused', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  await (await openRepo(t, { path: repo, init: {} })).stop()
  await chown(join(repo, 'config'), 65534, 65534)
  t.like(await refusal(t, { path: repo }), { code: 'E_FILE_OWNER' })
  await chown(join(repo, 'config'), 0, 0)
  await chown(repo, 65534, 65534)
  t.like(await refusal(t, { path: repo }), { code: 'E_FILE_OWNER' })
  t.deepEqual((await readdir(repo)).sort(), ['config', 'version'])
})

privileged('a folder of root that others can write is refused where this user is not root', async t => {
  const folder = await ofNobody(t)
  const repo = join(folder, 'repo')
  t.is(await opening(repo, 'init'), 'opened')
  await chown(repo, 0, 0)
  await chmod(repo, 0o777)
  t.regex(await opening(repo), /^.*repo is not used: others can write it \(mode 0777\)/)
})

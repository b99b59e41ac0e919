import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { refused } from '../../../plugins/repo/errors.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { openRepo } from './harness.ts'

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

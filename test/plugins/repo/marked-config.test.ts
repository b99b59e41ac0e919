import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { commandLine } from '../../helpers/process/command-line.ts'

test('a configuration with a byte order mark is read, changed and given to a new repo', async t => {
  const folder = await temporaryFolder(t)
  const [repo, other] = [join(folder, 'repo'), join(folder, 'other')]
  t.is((await commandLine(['init', '--repo', repo])).code, 0)
  const file = join(repo, 'config')
  await writeFile(file, `\ufeff${await readFile(file, 'utf8')}`)
  t.is((await commandLine(['config', 'Datastore.StorageMax', '7GB', '--repo', repo])).code, 0)
  t.is((await commandLine(['config', 'Datastore.StorageMax', '--repo', repo])).out, '7GB\n')
  t.is((await commandLine(['doctor', '--repo', repo])).out.includes('WRONG    node-config'), false)
  await writeFile(join(folder, 'given'), '\ufeff{"Datastore":{"StorageMax":"8GB"}}')
  const made = await commandLine(['init', '--repo', other, join(folder, 'given')])
  t.is(made.code, 0, made.err)
  t.is((await commandLine(['config', 'Datastore.StorageMax', '--repo', other])).out, '8GB\n')
})

test('init where nobody can write says so at once, and leaves nothing', async t => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'file'), '')
  const below = await commandLine(['init', '--repo', join(folder, 'file', 'deep', 'repo')])
  t.is(below.code, 1)
  t.regex(below.err, /is not a folder, so it cannot hold a repo/)
  if (process.platform !== 'linux') return
  // a file system of the system's own, on which a recursive mkdir of Node.js never ends
  const proc = await commandLine(['init', '--repo', '/proc/none/repo'])
  t.is(proc.code, 1)
  t.regex(proc.err, /cannot create \/proc\/none\/repo: ENOENT/)
})

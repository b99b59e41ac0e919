/** Files that others decide over, on a real file system. */
import { chmod, chown, lchown, mkdir, open, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { foreignFault, refuseForeign, refuseForeignOpen } from '../../../core/files/foreign.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

const modes = process.platform === 'win32' ? test.skip : test
/** Only root can give files away. */
const asRoot = process.geteuid?.() === 0 ? test : test.skip
if (process.geteuid?.() !== 0) console.log('left out, files of other users: only root can make some')

const EVE = 65534

async function tree(t: ExecutionContext) {
  const top = await temporaryFolder(t)
  const folder = join(top, 'a', 'b')
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'f')
  await writeFile(file, 'x', { mode: 0o644 })
  return { top, folder, file }
}

modes('a file of this user below a sticky folder such as /tmp is used', async t => {
  const { file } = await tree(t)
  t.is(foreignFault(file), undefined)
  t.notThrows(() => refuseForeign(file))
})

modes('a file, its folder or any folder above that others can write is refused, by its own name', async t => {
  const { top, folder, file } = await tree(t)
  for (const at of [file, folder, join(top, 'a'), top]) {
    await chmod(at, 0o777)
    const fault = foreignFault(file)
    t.is(fault?.code, 'E_FILE_SHARED', at)
    t.true(fault!.message.endsWith(`'${at}'`), fault!.message)
    await chmod(at, 0o755)
  }
  t.is(foreignFault(file), undefined)
})

modes('a folder with the sticky bit is passed on the way to a file, and refused as its own', async t => {
  const { top, folder, file } = await tree(t)
  await chmod(join(top, 'a'), 0o1777)
  t.is(foreignFault(file), undefined)
  await chmod(folder, 0o1777)
  t.is(foreignFault(file)?.code, 'E_FILE_SHARED')
})

modes('a folder that files are to be found in may lie in a sticky one, and may not be one', async t => {
  const { top, folder } = await tree(t)
  await chmod(join(top, 'a'), 0o1777)
  t.is(foreignFault(folder), undefined)
  await symlink('a/b/..', join(top, 'back'))
  t.true(foreignFault(join(top, 'back'))?.message.endsWith(`'${join(top, 'a')}'`))
  await chmod(join(top, 'a'), 0o777)
  t.is(foreignFault(folder)?.code, 'E_FILE_SHARED')
})

modes('what lies behind a symlink is looked at, and the folder that the link lies in', async t => {
  const { top, folder, file } = await tree(t)
  await mkdir(join(top, 'links'))
  const link = join(top, 'links', 'l')
  await symlink('../a/b/f', link)
  t.is(foreignFault(link), undefined)
  await chmod(folder, 0o777)
  t.true(foreignFault(link)?.message.endsWith(`'${folder}'`))
  await chmod(folder, 0o755)
  await chmod(join(top, 'links'), 0o1777)
  t.true(foreignFault(link)?.message.endsWith(`'${join(top, 'links')}'`), 'anybody could put a file beside it')
  await chmod(join(top, 'links'), 0o755)
  await symlink(join(top, 'a'), join(top, 'way'))
  t.is(foreignFault(join(top, 'way', 'b', 'f')), undefined)
  await chmod(folder, 0o1777)
  t.true(foreignFault(join(top, 'way', 'b', 'f'))?.message.endsWith(`'${folder}'`), 'links on the way are followed')
  t.is(foreignFault(file)?.code, 'E_FILE_SHARED')
})

modes('symlinks in a circle and what is not there are errors', async t => {
  const { top } = await tree(t)
  await symlink('two', join(top, 'one'))
  await symlink('one', join(top, 'two'))
  t.throws(() => foreignFault(join(top, 'one')), { code: 'E_FILE_LINKS' })
  t.throws(() => foreignFault(join(top, 'none')), { code: 'ENOENT' })
})

asRoot('what belongs to another user is refused: the file, a folder above it, a symlink to it', async t => {
  const { top, folder, file } = await tree(t)
  for (const at of [file, folder, join(top, 'a')]) {
    await chown(at, EVE, 0)
    const fault = foreignFault(file)
    t.is(fault?.code, 'E_FILE_OWNER')
    t.true(fault!.message.endsWith(`'${at}'`), fault!.message)
    await chown(at, 0, 0)
  }
  await symlink('a/b/f', join(top, 'l'))
  await lchown(join(top, 'l'), EVE, 0)
  t.is(foreignFault(join(top, 'l'))?.code, 'E_FILE_OWNER')
})

modes('an open file is held to the same, its folder aside', async t => {
  const { folder, file } = await tree(t)
  await chmod(folder, 0o777)
  const handle = await open(file)
  t.teardown(() => handle.close())
  const found = await handle.stat()
  t.notThrows(() => refuseForeignOpen(file, found))
  await chmod(file, 0o666)
  const changed = await handle.stat()
  t.throws(() => refuseForeignOpen(file, changed), { code: 'E_FILE_SHARED' })
})

import { chmod, mkdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { filesOf } from '../../../../host/cli/upload/files.ts'
import { partsOf } from '../../../../host/cli/upload/parts.ts'
import { rulesOf } from '../../../../host/cli/upload/rules.ts'
import { Multipart } from '../../../../host/client/multipart.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'

async function sent(cwd: string, options: { tells?: { mode: boolean; mtime: boolean }; follow?: boolean }): Promise<string[]> {
  const rules = await rulesOf({ hidden: false, patterns: [], file: undefined })
  const source = await filesOf(['d'], {
    argument: 'path',
    folders: true,
    recursive: true,
    dereference: false,
    stdinName: '',
    rules,
    cwd,
    async *stdin() {},
    ...options
  })
  let text = ''
  for await (const chunk of new Multipart(partsOf(source, () => {})).stream()) text += Buffer.from(chunk).toString()
  return [...text.matchAll(/name="(file[^"]*)"; filename="([^"]*)"\r\nContent-Type: application\/([a-z-]+)/g)].map(
    ([, field, name, type]) => `${name} ${field} ${type}`
  )
}

test('permissions and times are told where they are to be kept, and links followed where that is asked for', async t => {
  const cwd = await temporaryFolder(t)
  await mkdir(join(cwd, 'd'))
  await writeFile(join(cwd, 'd/f'), 'bytes')
  await symlink('f', join(cwd, 'd/l'))
  await chmod(join(cwd, 'd/f'), 0o4640)
  await utimes(join(cwd, 'd/f'), 5.25, 5.25)
  t.deepEqual(await sent(cwd, {}), ['d file x-directory', 'd%2Ff file octet-stream', 'd%2Fl file symlink'])
  const told = await sent(cwd, { tells: { mode: true, mtime: true } })
  t.is(told[1], 'd%2Ff file?mode=040000640&mtime=5&mtime-nsecs=250000000 octet-stream')
  t.regex(told[2]!, /^d%2Fl file\?mtime=\d+(&mtime-nsecs=\d+)? symlink$/)
  t.is((await sent(cwd, { follow: true }))[2], 'd%2Fl file octet-stream')
})

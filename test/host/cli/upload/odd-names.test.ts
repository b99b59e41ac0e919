/** Names that are bytes, as file systems have them, and no UTF-8. */
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { startDaemon } from '../../../helpers/process/daemon.ts'
import { gathered } from '../../../helpers/streams.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')
const linux = process.platform === 'linux' ? test : test.skip

linux('a folder with names that are no UTF-8 is added whole, by a daemon and without one, and comes back byte for byte', async t => {
  const cwd = await temporaryFolder(t)
  const inFolder = (name: string) => Buffer.concat([bytes(`${cwd}/folder/`), bytes(name)])
  await mkdir(join(cwd, 'folder'))
  await mkdir(inFolder('d\xe9p\xf4t'))
  await writeFile(inFolder('caf\xe9.txt'), 'coffee')
  await writeFile(inFolder('d\xe9p\xf4t/inner'), 'inside')
  await writeFile(inFolder('plain'), 'plain')
  await symlink(bytes('caf\xe9.txt'), inFolder('link'))
  const repo = join(cwd, 'repo')
  t.is((await commandLine(['init', '--repo', repo])).code, 0)
  const add = ['add', '-r', '-Q', 'folder', '--repo', repo]
  const alone = await commandLine(add, { cwd })
  t.is(alone.code, 0, alone.err)
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  const beside = await commandLine(add, { cwd })
  t.is(beside.code, 0, beside.err)
  t.is(beside.out, alone.out)
  const got = await commandLine(['get', alone.out.trim(), '-o', 'back', '--repo', repo], { cwd })
  t.is(got.code, 0, got.err)
  const names = async (folder: string) =>
    (await readdir(join(cwd, folder), { encoding: 'buffer' })).map(name => name.toString('latin1')).sort()
  t.deepEqual(await names('back'), await names('folder'))
  const inBack = (name: string) => Buffer.concat([bytes(`${cwd}/back/`), bytes(name)])
  t.is(await readFile(inBack('d\xe9p\xf4t/inner'), 'utf8'), 'inside')
  t.deepEqual(await readlink(inBack('link'), 'buffer'), bytes('caf\xe9.txt'))
})

test('a part whose file name is no UTF-8 is added under it, as it is and escaped', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  const add = (name: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { 'Content-Type': 'multipart/form-data; boundary=x' }
      const request = http.request(`${daemon.url}/api/v0/add?wrap-with-directory=true`, { method: 'POST', headers }, response =>
        gathered(response).then(body => resolve(Buffer.from(body).toString()), reject)
      )
      request.on('error', reject)
      request.end(bytes(`--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\ncoffee\r\n--x--\r\n`))
    })
  const [raw, escaped] = [await add('caf\xe9.txt'), await add('caf%E9.txt')]
  t.is(raw, escaped)
  const root = (JSON.parse(raw.trim().split('\n').at(-1)!) as { Hash: string }).Hash
  t.regex((await commandLine(['ls', root, '--repo', repo])).out, /caf\\xe9\.txt\n$/)
})

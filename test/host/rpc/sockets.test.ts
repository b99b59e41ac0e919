import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync } from 'node:fs'
import { chmod, lstat, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { listenAddress } from '../../../host/http/listen/addresses.ts'
import { listen } from '../../../host/http/listen/listen.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

const unix = process.platform === 'win32' ? test.skip : test
// nothing else runs meanwhile: the umask is the process's
const alone = process.platform === 'win32' ? test.serial.skip : test.serial

async function open(t: Parameters<typeof temporaryFolder>[0], path: string): Promise<void> {
  const server = http.createServer()
  await listen(server, await listenAddress(`/unix${path}`))
  t.teardown(() => server.close())
}

unix('what is no socket is left as it is where a socket should be', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'notes.txt')
  await writeFile(file, 'mine')
  await t.throwsAsync(open(t, file), { code: 'E_RPC_LISTEN', message: /notes\.txt.*no socket/ })
  t.is(await readFile(file, 'utf8'), 'mine')
  const link = join(folder, 'link')
  await symlink(join(folder, 'nowhere'), link)
  await t.throwsAsync(open(t, link), { code: 'E_RPC_LISTEN' })
  t.true((await lstat(link)).isSymbolicLink())
  const inside = join(folder, 'inside')
  await mkdir(inside)
  await t.throwsAsync(open(t, inside), { code: 'E_RPC_LISTEN' })
  t.true((await stat(inside)).isDirectory())
  const pipe = join(folder, 'pipe')
  t.is(spawnSync('mkfifo', [pipe]).status, 0)
  await t.throwsAsync(open(t, pipe), { code: 'E_RPC_LISTEN' })
  t.true((await lstat(pipe)).isFIFO())
})

unix('a socket behind a symlink stays, even one that nobody listens on', async t => {
  const folder = await temporaryFolder(t)
  const left = join(folder, 'left.sock')
  const killed = spawnSync(process.execPath, [
    '-e',
    `require('net').createServer().listen(${JSON.stringify(left)}, () => process.kill(process.pid, 'SIGKILL'))`
  ])
  t.is(killed.signal, 'SIGKILL')
  const link = join(folder, 'link.sock')
  await symlink(left, link)
  await t.throwsAsync(open(t, link), { code: 'E_RPC_LISTEN' })
  t.true((await lstat(link)).isSymbolicLink())
  t.true((await lstat(left)).isSocket())
  await open(t, left)
  t.true((await lstat(left)).isSocket())
})

alone('a socket is for this user alone from its first moment, whatever the umask', async t => {
  const path = join(await temporaryFolder(t), 'rpc.sock')
  const before = process.umask(0)
  t.teardown(() => process.umask(before))
  const server = http.createServer()
  const opened = listen(server, await listenAddress(`/unix${path}`))
  t.is(lstatSync(path).mode & 0o077, 0)
  await opened
  t.teardown(() => server.close())
  t.is((await stat(path)).mode & 0o777, 0o600)
  t.is(process.umask(), 0)
})

unix('a socket that lets nobody in is not taken for a left one', async t => {
  // root is let in everywhere, so there it is the listener that answers
  const path = join(await temporaryFolder(t), 'other.sock')
  const other = createServer().listen(path)
  await once(other, 'listening')
  t.teardown(() => other.close())
  await chmod(path, 0)
  await t.throwsAsync(open(t, path), { code: 'E_RPC_LISTEN' })
  t.true((await lstat(path)).isSocket())
})

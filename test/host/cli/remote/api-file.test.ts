/** The address that a node leaves in its repo, and those that somebody else left there. */
import { chmod, chown, mkdir, symlink, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { thisProcess } from '../../../../core/repo/owner.ts'
import { addressInRepo } from '../../../../host/cli/remote/api-file.ts'
import { remoteOf } from '../../../../host/cli/run/ask.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { startDaemon } from '../../../helpers/process/daemon.ts'

const modes = process.platform === 'win32' ? test.skip : test
const asRoot = process.geteuid?.() === 0 ? test : test.skip
if (process.geteuid?.() !== 0) console.log('left out, files of other users: only root can make some')

async function repoWith(t: ExecutionContext, address: string): Promise<{ repo: string; file: string }> {
  const repo = join(await temporaryFolder(t), 'repo')
  await mkdir(repo)
  await writeFile(join(repo, 'api'), address)
  return { repo, file: join(repo, 'api') }
}

test('an address on loopback counts, in whichever form; all interfaces mean loopback', async t => {
  for (const [text, host] of [
    ['/ip4/127.0.0.1/tcp/5001', '127.0.0.1'],
    ['/ip4/127.8.9.10/tcp/5001\n', '127.8.9.10'],
    ['/ip6/::1/tcp/5001', '::1'],
    ['/ip6/0:0:0:0:0:0:0:1/tcp/5001', '0:0:0:0:0:0:0:1'],
    ['/ip4/0.0.0.0/tcp/5001', '127.0.0.1'],
    ['/ip6/::/tcp/5001', '::1'],
    ['/dns4/localhost/tcp/5001', 'localhost'],
    ['http://127.0.0.1:5001', '127.0.0.1'],
    ['http://[::1]:5001/', '::1'],
    ['https://LOCALHOST:5001', 'localhost'],
    ['127.0.0.1:5001', '127.0.0.1']
  ] as const)
    t.is((await addressInRepo((await repoWith(t, text)).repo))?.target.hostname, host, text)
})

test('one that a node left which was killed does not count, as anybody may listen there now', async t => {
  const { repo } = await repoWith(t, '/ip4/127.0.0.1/tcp/5001')
  const owner = await thisProcess()
  const [boot = '', ...namespace] = owner.where.split(' ')
  const asked = async (by: object) => {
    await writeFile(join(repo, 'repo.lock'), JSON.stringify({ ...owner, nonce: 'ab', ...by }))
    const commands = { loaded: { configuration: {}, file: undefined, folder: repo } } as never
    return (await remoteOf({ globals: { repo } as never, commands, terminal: { env: {}, cwd: repo } as never })) !== undefined
  }
  t.true(await asked({}))
  t.false(await asked({ pid: 2 ** 30 }), 'a process that is not there')
  t.false(await asked({ where: ['another', ...namespace].join(' ') }), 'one before the last boot')
  if (process.platform === 'linux') {
    t.false(await asked({ started: '1' }), 'one whose number another process has now')
    t.true(await asked({ where: `${boot} pid:[1]`, pid: 2 ** 30 }), 'one in another container')
  }
  await writeFile(join(repo, 'repo.lock'), '')
  const kubo = { loaded: { configuration: {}, file: undefined, folder: repo } } as never
  t.truthy(await remoteOf({ globals: { repo } as never, commands: kubo, terminal: { env: {}, cwd: repo } as never }), 'a lock of Kubo')
})

test('any other is refused with the file, the address and the remedy', async t => {
  for (const text of [
    '/ip4/192.0.2.1/tcp/5001',
    '/ip4/10.0.0.1/tcp/5001',
    '/ip4/127.1/tcp/5001',
    '/ip4/2130706433/tcp/5001',
    '/ip6/2001:db8::1/tcp/5001',
    '/ip6/::ffff:192.0.2.1/tcp/5001',
    '/dns4/node.example/tcp/5001',
    '/dns4/localhost.example/tcp/5001',
    '/dns4/127.0.0.1.example/tcp/5001',
    'http://127.0.0.1@192.0.2.1/',
    'http://192.0.2.1:5001/#127.0.0.1',
    'http://localhost.:5001',
    'nonsense',
    '/unix',
    ''
  ]) {
    const { repo, file } = await repoWith(t, text)
    const error = await t.throwsAsync(addressInRepo(repo), { code: 'E_API_FILE' }, text)
    t.is(
      error!.message,
      `${file} is not used: it names ${JSON.stringify(text)}, which is no address on loopback and no socket. Where a node of yours is there, name it: --api ADDRESS`
    )
  }
})

test('without the file there is no address, and what is no file is an error', async t => {
  const folder = await temporaryFolder(t)
  t.is(await addressInRepo(folder), undefined)
  t.is(await addressInRepo(join(folder, 'none')), undefined)
  await mkdir(join(folder, 'api'))
  await t.throwsAsync(addressInRepo(folder), { code: 'E_FILE_IRREGULAR' })
})

modes('a file that others can write does not count', async t => {
  const { repo, file } = await repoWith(t, '/ip4/127.0.0.1/tcp/5001')
  await chmod(file, 0o666)
  await t.throwsAsync(addressInRepo(repo), { code: 'E_FILE_SHARED' })
  await chmod(file, 0o600)
  t.truthy(await addressInRepo(repo))
})

asRoot("nor does another user's, nor their socket", async t => {
  const { repo, file } = await repoWith(t, '/ip4/127.0.0.1/tcp/5001')
  await chown(file, 65534, 65534)
  await t.throwsAsync(addressInRepo(repo), { code: 'E_FILE_OWNER' })
  await chown(file, 0, 0)
  const socket = await listening(t)
  await writeFile(file, `/unix${socket}`)
  t.is((await addressInRepo(repo))?.target.socketPath, socket)
  await chown(socket, 65534, 65534)
  const error = await t.throwsAsync(addressInRepo(repo), { code: 'E_FILE_OWNER' })
  t.true(error!.message.includes(socket))
})

modes('a socket counts, a file in its place does not, and one that is gone is where nobody answers', async t => {
  const { repo, file } = await repoWith(t, '')
  const socket = await listening(t)
  await symlink(socket, `${socket}-link`)
  for (const path of [socket, encodeURIComponent(socket), `${socket}-link`]) {
    await writeFile(file, `/unix/${path.replace(/^\//, '')}`)
    t.truthy((await addressInRepo(repo))?.target.socketPath, path)
  }
  await writeFile(file, `/unix${file}`)
  await t.throwsAsync(addressInRepo(repo), { code: 'E_API_FILE' })
  await writeFile(file, `/unix${repo}/none`)
  t.truthy((await addressInRepo(repo))?.target.socketPath)
})

async function listening(t: ExecutionContext): Promise<string> {
  const path = join(await temporaryFolder(t), 's')
  const server = createServer()
  await new Promise<void>(resolve => server.listen(path, resolve))
  t.teardown(() => server.close())
  return path
}

test('an address that is refused is not asked, by completion neither; one that was named is', async t => {
  const seen: string[] = []
  const server = http.createServer((request, response) => {
    seen.push(request.headers.authorization ?? '')
    request.resume().on('end', () => response.end('{}'))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const { repo, file } = await repoWith(t, `/dns4/127.0.0.1.nip.example/tcp/${port}`)
  const cwd = join(repo, '..')
  const holdfast = (...args: string[]) => commandLine(['--repo', repo, '--api-auth', 'bearer:token', ...args], { cwd })
  for (const args of [['id'], ['pin', 'ls'], ['__complete', '--', 'pin', 'rm', ''], ['plugins'], ['greet']]) await holdfast(...args)
  t.deepEqual(seen, [])
  t.is((await holdfast('--api', `http://127.0.0.1:${port}`, 'pin', 'ls')).code, 0)
  t.deepEqual(seen, ['Bearer token'])
  const refused = await holdfast('pin', 'ls')
  t.is(refused.code, 1)
  t.true(refused.err.startsWith(`Error: ${file} is not used`))
})

test('doctor tells of an address that does not count', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  await (await startDaemon(repo)).stop()
  await writeFile(join(repo, 'api'), '/dns4/node.example/tcp/1')
  const { code, out } = await commandLine(['--repo', repo, 'doctor'], { cwd: join(repo, '..') })
  t.is(code, 1)
  t.regex(out, /WRONG +lock +.*api is not used: it names "\/dns4\/node\.example\/tcp\/1"/)
})

/** The program as a user starts it. */
import { spawn } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { bin, startDaemon } from '../../helpers/process/daemon.ts'
import { outcomeOf } from '../../helpers/process/outcome.ts'
import { trustFolder } from '../../helpers/process/user-folders.ts'

async function holdfast(args: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
  return outcomeOf(spawn(process.execPath, [bin, ...args], { cwd: options.cwd, env: { ...process.env, ...options.env } }))
}

test('init makes a repo with an identity and says so, and never twice', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const first = await holdfast(['--repo', repo, 'init', '--profile', 'server,lowpower'])
  t.is(first.code, 0, first.err)
  t.regex(first.out, /^generating ED25519 keypair\.\.\.done\npeer identity: 12D3KooW\w+\ninitializing IPFS node at /)
  const config = JSON.parse(await readFile(join(repo, 'config'), 'utf8'))
  t.is(config.Routing.Type, 'autoclient')
  t.is((await stat(join(repo, 'config'))).mode & 0o777, 0o600)
  t.is((await stat(repo)).mode & 0o777, 0o700)
  const second = await holdfast(['--repo', repo, 'init'])
  t.is(second.code, 1)
  t.regex(second.err, /already exists/)
})

test('init starts from a given node configuration, and makes rsa keys', async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  await holdfast(['--repo', join(folder, 'model'), 'init'])
  const model = JSON.parse(await readFile(join(folder, 'model', 'config'), 'utf8'))
  model.Gateway.RootRedirect = '/ipfs/x'
  delete model.Identity
  await writeFile(join(folder, 'given.json'), JSON.stringify(model))
  const made = await holdfast(['--repo', repo, 'init', '-a', 'rsa', '-b', '2048', join(folder, 'given.json')])
  t.is(made.code, 0, made.err)
  t.regex(made.out, /peer identity: Qm\w+/)
  const config = JSON.parse(await readFile(join(repo, 'config'), 'utf8'))
  t.is(config.Gateway.RootRedirect, '/ipfs/x')
  t.regex(config.Identity.PeerID, /^Qm/)
})

test('init refuses what it cannot do, and names it', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  t.regex((await holdfast(['--repo', repo, 'init', '--profile', 'sever'])).err, /sever/)
  t.regex((await holdfast(['--repo', repo, 'init', '--algorithm', 'dsa'])).err, /unrecognized key type: dsa/)
  t.regex((await holdfast(['--repo', repo, 'init', '-a', 'rsa', '-b', '1024'])).err, /2048/)
  const unknown = await holdfast(['--repo', repo, 'init', '--colour'])
  t.is(unknown.code, 2)
  t.regex(unknown.err, /--colour/)
})

test('a daemon says who it is and where it listens, writes its api file, and takes it away again', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  t.regex(daemon.output(), /^Initializing daemon\.\.\.\n/)
  t.regex(daemon.output(), /peer identity: 12D3KooW/)
  t.regex(daemon.output(), /RPC API server listening on \/ip4\/127\.0\.0\.1\/tcp\/\d+\n.*Daemon is ready\n$/s)
  const port = new URL(daemon.url).port
  t.is(await readFile(join(repo, 'api'), 'utf8'), `/ip4/127.0.0.1/tcp/${port}`)
  t.is(await daemon.stop(), 0)
  await t.throwsAsync(stat(join(repo, 'api')), { code: 'ENOENT' })
})

test('a second daemon on one repo is refused with the pid of the first', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  const second = await holdfast(['--repo', repo, 'daemon', '--api', '/ip4/127.0.0.1/tcp/0'])
  t.is(second.code, 1)
  t.regex(second.err, new RegExp(`\\b${daemon.process.pid}\\b`))
})

test('without a repo the daemon says how to make one', async t => {
  const result = await holdfast(['--repo', join(await temporaryFolder(t), 'none'), 'daemon'])
  t.is(result.code, 1)
  t.regex(result.err, /init/)
})

test('flags of groups that are not there are taken, each with one line', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const daemon = await startDaemon(repo, ['--enable-mplex-experiment', '--migrate=true'])
  t.teardown(() => daemon.kill())
  for (const flag of ['--enable-mplex-experiment', '--migrate']) {
    t.is(
      daemon
        .output()
        .split('\n')
        .filter(line => line.startsWith(`${flag}:`)).length,
      1,
      flag
    )
  }
  t.is(await daemon.stop(), 0)
})

test('plugins shows the tree of the running node, and without one of what would run', async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  await writeFile(join(folder, 'holdfast.config.json'), JSON.stringify({ plugins: { cid: 'off' } }))
  await trustFolder(folder)
  const before = await holdfast(['--repo', repo, 'plugins'], { cwd: folder })
  t.is(before.code, 0, before.err)
  t.regex(before.out, /^No node is running/)
  t.regex(before.out, /cid {2}off {2}\(regular\).*\n {2}why: plugins: \{ cid: off \} in .*holdfast\.config\.json/)
  const daemon = await startDaemon(repo, [], ['--config', join(folder, 'holdfast.config.json')])
  t.teardown(() => daemon.kill())
  const during = await holdfast(['--repo', repo, 'plugins', '--json'], { cwd: folder })
  const tree = JSON.parse(during.out) as Array<{ name: string; state: string; startedAt?: string; services: string[] }>
  t.is(tree.find(({ name }) => name === 'cid')?.state, 'off')
  t.is(tree.find(({ name }) => name === 'repo')?.state, 'started')
  t.deepEqual(tree.find(({ name }) => name === 'repo')?.services, ['repo'])
  const off = await fetch(`${daemon.url}/api/v0/cid/base32?arg=x`, { method: 'POST' })
  t.is(off.status, 404)
  t.regex(await off.text(), /plugins: \{ cid: off \} in .*holdfast\.config\.json/)
  t.is(await daemon.stop(), 0)
})

test('a configuration is named in every way that an option can be said, and the folder is not trusted for it', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'own.json')
  await writeFile(join(folder, 'holdfast.config.json'), 'broken')
  await writeFile(file, JSON.stringify({ repo: './mine', plugins: { cid: 'off' } }))
  for (const words of [['--config', file], [`--config=${file}`], ['-c', file], [`-c${file}`], [`-c=${file}`]]) {
    const { code, out, err } = await holdfast([...words, 'plugins', '--json'], { cwd: folder })
    t.is(code, 0, err)
    const tree = JSON.parse(out) as Array<{ name: string; state: string }>
    t.is(tree.find(({ name }) => name === 'cid')?.state, 'off', words.join(' '))
  }
  const made = await holdfast([`-c${file}`, 'init'], { cwd: folder })
  t.regex(made.out, /initializing IPFS node at .*mine\n/)
  t.is(made.err, '')
})

test('a mistake in the configuration is named with file and key', async t => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'holdfast.config.yaml'), 'plugin:\n  cid: off\n')
  await trustFolder(folder)
  const { code, err } = await holdfast(['plugins'], { cwd: folder })
  t.is(code, 1)
  t.regex(err, /holdfast\.config\.yaml/)
  t.regex(err, /plugin.*did you mean 'plugins'/)
})

test('the repo is where --repo, HOLDFAST_PATH or IPFS_PATH say, in that order', async t => {
  const folder = await temporaryFolder(t)
  const env = { HOLDFAST_PATH: join(folder, 'h'), IPFS_PATH: join(folder, 'i') }
  t.regex((await holdfast(['--repo', join(folder, 'flag'), 'init'], { env })).out, /at .*flag\n/)
  t.regex((await holdfast(['init'], { env })).out, /at .*\/h\n/)
  t.regex((await holdfast(['init'], { env: { IPFS_PATH: join(folder, 'i'), HOLDFAST_PATH: '' } })).out, /at .*\/i\n/)
})

test('--version and --help answer without a repo', async t => {
  t.regex((await holdfast(['--version'])).out, /^\d+\.\d+\.\d+\n$/)
  const help = await holdfast(['--help'])
  t.is(help.code, 0)
  t.regex(help.out, /daemon.*init.*plugins/s)
})

test('a daemon on a repo that another node works on says how to stop that one, or to have a repo of its own', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  const { code, err } = await holdfast(['--repo', repo, 'daemon', '--api', '/ip4/127.0.0.1/tcp/0'])
  t.is(code, 1)
  t.is(
    err,
    `Error: lock ${join(repo, 'repo.lock')}: someone else has the lock: process ${daemon.process.pid} works on this repo\n` +
      'Where that is a node, stop it first: holdfast shutdown, or end its process. Or use another repo: --repo FOLDER.\n'
  )
  t.is((await holdfast(['--repo', repo, 'shutdown'])).code, 0)
  await daemon.stop()
  const again = await holdfast(['--repo', repo, 'shutdown'])
  t.deepEqual([again.code, again.err], [1, 'Error: daemon not running\nSee: holdfast shutdown --help\n'])
  t.is(await startDaemon(repo).then(next => next.stop()), 0)
})

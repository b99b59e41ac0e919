/** Plugins of third parties beside the command line: which of them start, and what it costs that one fails. */
import { spawn } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { z } from 'zod'
import { type Command, command, hook, type Plugin, plugin, ready, service, token, value } from '../../../../core/index.ts'
import { createHost } from '../../../../host/create.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { bin, launchDaemon } from '../../../helpers/process/daemon.ts'
import { outcomeOf } from '../../../helpers/process/outcome.ts'
import { userFolders } from '../../../helpers/process/user-folders.ts'

const HEAD =
  "import { Blockstore, command, hook, plugin, service, token, value } from 'holdfast'\nimport { connect } from 'node:net'\nimport { z } from 'zod'\nconst mine = token('test-mine')\n"

/** A folder with a plugin in it that the configuration names, and a repo. */
async function withPlugin(t: ExecutionContext, text: string, configuration: object = {}) {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  t.is((await commandLine(['--repo', repo, 'init'], { cwd: folder })).code, 0)
  const root = new URL('../../../../../', import.meta.url)
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules', 'holdfast'))
  await symlink(new URL('node_modules/zod', root), join(folder, 'node_modules', 'zod'))
  await writeFile(join(folder, 'mine.mjs'), HEAD + text)
  const file = join(folder, 'holdfast.config.json')
  await writeFile(file, JSON.stringify({ plugins: { './mine.mjs': 'on' }, ...configuration }))
  const holdfast = (...words: string[]) => commandLine(['--repo', repo, '--config', file, ...words], { cwd: folder })
  return { folder, repo, file, holdfast }
}

const throwing = (needs: string) => `export default plugin({ name: 'mine', api: '^1', about: 'M.', provides: [
  service(mine, { needs: ${needs}, make: () => ({ start() { throw new Error('not today') } }) })
] })`

test('a plugin that throws in its start stops no command that it has no part in, and doctor --start names it', async t => {
  const { holdfast } = await withPlugin(t, throwing('{}'))
  const told = await holdfast('version', '-n')
  t.is(told.code, 0, told.err)
  t.is((await holdfast('pin', 'ls')).code, 0)
  const listed = await holdfast('doctor', '--start', '--json')
  t.is(listed.code, 1)
  const wrong = (JSON.parse(listed.out) as Array<{ check: string; state: string; about: string }>).filter(({ state }) => state === 'wrong')
  t.deepEqual(
    wrong.map(({ check }) => check),
    ['plugins']
  )
  t.regex(wrong[0]!.about, /plugin 'mine' .* failed to start: not today/)
})

test('one that needs what a command works with has a part in it, and fails it', async t => {
  const { holdfast } = await withPlugin(t, throwing('{ store: Blockstore }'))
  t.is((await holdfast('version', '-n')).code, 0)
  const { code, err } = await holdfast('pin', 'ls')
  t.is(code, 1)
  t.regex(err, /plugin 'mine' .* failed to start: not today/)
})

const configuration = { plugins: { 'storage-rocksdb': 'off', 'storage-memory': 'on' } } as const

/** Starts a host for one command of these plugins. @returns those of them that it started, too */
async function startedFor(t: ExecutionContext, only: Command, plugins: readonly Plugin[]) {
  const host = await createHost({ plugins, configuration, repo: { path: undefined, init: {} }, offline: 'a test', command: only })
  t.teardown(() => host.stop())
  await host.start()
  const started = new Set(host.plugins().flatMap(({ name, state }) => (state === 'started' ? [name] : [])))
  return { host, names: plugins.map(({ name }) => name).filter(name => started.has(name)) }
}

test('a host for one command starts the plugins of it, guards, and those that may add to what it works with', async t => {
  const of = (name: string, more: object) => plugin({ name, api: '^1', about: 'A.', ...more })
  const [used, other] = [token<object>('test-used'), token<object>('test-other')]
  const ask = command.read('ask', { help: 'A.', needs: { used }, reply: value(z.object({})), run: () => ({}) })
  const plugins = [
    of('owner', { commands: [ask] }),
    of('provider', { provides: [ready(used, {})] }),
    of('adding', { provides: [service(token('test-adding'), { needs: { used }, make: () => ({}) })] }),
    of('beside', { provides: [ready(other, {})] }),
    of('guard', { around: [hook({ run: (_, __, next) => next() })] })
  ]
  const { host, names } = await startedFor(t, ask, plugins)
  t.deepEqual(names, ['owner', 'provider', 'adding', 'guard'])
  t.true(host.commands().some(({ path }) => path === 'ask'))
})

test('a plugin that ends the process while it is imported is named, and the command has not succeeded', async t => {
  const { folder, repo, file } = await withPlugin(t, '')
  await writeFile(join(folder, 'mine.mjs'), "// api: '^1'\nprocess.exit(0)\nexport default 1")
  const words = ['--repo', repo, '--config', file, 'files', 'ls', '/']
  const { code, err } = await outcomeOf(spawn(process.execPath, [bin, ...words], { cwd: folder, env: { ...process.env, ...userFolders } }))
  t.is(code, 1)
  t.is(err, "Error: the process ended with status 0 while this was imported: plugin './mine.mjs'\n")
})

test('onFailure: continue does not hide that there is no repo', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'holdfast.config.json')
  await writeFile(file, JSON.stringify({ onFailure: 'continue' }))
  for (const words of [
    ['cat', 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN'],
    ['daemon', '--offline']
  ]) {
    const { code, err } = await commandLine(['--repo', join(folder, 'none'), '--config', file, ...words], { cwd: folder })
    t.is(code, 1)
    t.regex(err, /^Error: no IPFS repo found in .*none\.\nMake a repo: holdfast init\n$/)
  }
})

test('a node whose plugin hangs in its stop ends after three seconds, and says which', async t => {
  const { repo, file } = await withPlugin(
    t,
    `export default plugin({ name: 'mine', api: '^1', about: 'M.', provides: [service(mine, { make: () => ({ start() {}, stop: () => new Promise(() => {}) }) })] })`
  )
  const launched = launchDaemon(repo, { globalArgs: ['--config', file] })
  t.teardown(() => launched.kill())
  const daemon = await launched.ready
  t.is(await daemon.stop(), 1)
  t.regex(daemon.output(), /plugin 'mine': the stop of service 'test-mine' took longer than 3 s without progress/)
})

test('a connection that fails and that nobody listens to is told with its plugin, and the node goes on', async t => {
  const server = createServer(socket => socket.once('data', () => socket.resetAndDestroy()))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const { repo, file } = await withPlugin(
    t,
    `export default plugin({ name: 'mine', api: '^1', about: 'M.', provides: [service(mine, { make: () => ({ start() { connect(${port}, '127.0.0.1').write('x') } }) })] })`
  )
  const launched = launchDaemon(repo, { globalArgs: ['--config', file] })
  t.teardown(() => launched.kill())
  const daemon = await launched.ready
  while (!daemon.output().includes("a connection of plugin 'mine' failed and nobody listened to its 'error'"))
    await new Promise(resolve => daemon.process.stderr!.once('data', resolve))
  t.is((await fetch(`${daemon.url}/api/v0/version`, { method: 'POST' })).status, 200)
  t.is(await daemon.stop(), 0)
})

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Finding } from '../../../../host/cli/doctor/finding.ts'
import { engine } from '../../../../host/cli/doctor/index.ts'
import { commandLine } from '../../../helpers/command-line.ts'
import { startDaemon } from '../../../helpers/daemon.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'

/** A repo whose RPC has a port that is free. */
async function repoIn(t: ExecutionContext): Promise<{ folder: string; repo: string }> {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const daemon = await startDaemon(repo)
  await daemon.stop()
  await changeConfig(repo, config => {
    config['Addresses'] = { ...(config['Addresses'] as object), API: '/ip4/127.0.0.1/tcp/0' }
  })
  return { folder, repo }
}

async function changeConfig(repo: string, change: (config: Record<string, unknown>) => void): Promise<void> {
  const file = join(repo, 'config')
  const config = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  change(config)
  await writeFile(file, JSON.stringify(config))
}

async function doctor(folder: string, repo: string, ...args: string[]) {
  const { code, out, err } = await commandLine(['--repo', repo, 'doctor', '--json', ...args], { cwd: folder })
  const found = JSON.parse(out) as Finding[]
  const of = (check: Finding['check']) => found.filter(finding => finding.check === check)
  return { code, err, found, of, bad: found.filter(({ state }) => state === 'wrong').map(({ check }) => check) }
}

test('where nothing is wrong it says so and ends with 0', async t => {
  const { folder, repo } = await repoIn(t)
  const { code, bad, found } = await doctor(folder, repo)
  t.deepEqual([code, bad], [0, []])
  t.deepEqual(
    new Set(found.map(({ check }) => check)),
    new Set(['node', 'configuration', 'plugins', 'permissions', 'repo', 'node-config', 'lock', 'space', 'ports'])
  )
  const { out } = await commandLine(['--repo', repo, 'doctor'], { cwd: folder })
  t.regex(out, /^ok +node +Node\.js \d/)
  t.regex(out, /Nothing of what was looked at keeps a node from working here\. Values that plugins read at their start were not\.\n$/)
})

test('a node that runs is found, and its ports are its own', async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  const { code, of } = await doctor(folder, repo)
  t.is(code, 0)
  t.regex(of('lock')[0]!.about, new RegExp(`process ${daemon.process.pid}\\) works on the repo and answers`))
  t.deepEqual(of('ports'), [])
  await daemon.kill()
  const after = await doctor(folder, repo)
  t.is(after.of('lock')[0]!.state, 'warning', 'the address that the dead node left')
})

test('a missing repo is wrong, and the remedy makes one', async t => {
  const folder = await temporaryFolder(t)
  const { code, of } = await doctor(folder, join(folder, 'none'))
  t.is(code, 1)
  t.like(of('repo')[0], { state: 'wrong', remedy: 'Make one: holdfast init' })
})

test('a configuration file that is wrong is named with its key, and so is a plugin for another api', async t => {
  const { folder, repo } = await repoIn(t)
  await writeFile(join(folder, 'holdfast.config.json'), JSON.stringify({ plugin: {} }))
  const first = await doctor(folder, repo)
  t.deepEqual([first.code, first.bad], [1, ['configuration']])
  t.regex(first.of('configuration')[0]!.about, /holdfast\.config\.json: plugin.*did you mean 'plugins'/)

  await writeFile(join(folder, 'old.mjs'), "export default { name: 'old', api: '^9', about: '', commands: [], provides: [] }\n")
  await writeFile(join(folder, 'holdfast.config.json'), JSON.stringify({ plugins: { './old.mjs': 'on' } }))
  const second = await doctor(folder, repo)
  t.deepEqual([second.code, second.bad], [1, ['plugins']])
  t.regex(second.of('plugins')[0]!.about, /'\^9'/)
})

test('a node configuration that is wrong is named with its key', async t => {
  const { folder, repo } = await repoIn(t)
  await changeConfig(repo, config => {
    config['Addresses'] = 'nowhere'
  })
  const { code, bad, of } = await doctor(folder, repo)
  t.deepEqual([code, bad], [1, ['node-config']])
  t.regex(of('node-config')[0]!.about, /Addresses/)
})

test('a key that others may read is told, and a repo of another version is wrong', async t => {
  const { folder, repo } = await repoIn(t)
  await chmod(join(repo, 'config'), 0o644)
  await writeFile(join(repo, 'version'), '99\n')
  const { code, bad, of } = await doctor(folder, repo)
  t.deepEqual([code, bad], [1, ['repo']])
  t.like(of('permissions')[0], { state: 'warning' })
  t.regex(of('repo')[0]!.about, /'99'/)
  t.regex(of('repo')[0]!.remedy!, /holdfast migrate FOLDER/)
})

test('a port that another program has is wrong, and so is a process that holds the repo without an RPC', async t => {
  const { folder, repo } = await repoIn(t)
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  await changeConfig(repo, config => {
    config['Addresses'] = { API: `/ip4/127.0.0.1/tcp/${port}` }
  })
  t.deepEqual((await doctor(folder, repo)).bad, ['ports'])
  await writeFile(join(repo, 'repo.lock'), JSON.stringify({ pid: process.pid, started: '', where: '', nonce: 'x' }))
  const held = await doctor(folder, repo)
  t.deepEqual(held.bad, ['lock'])
  t.regex(held.of('lock')[0]!.about, new RegExp(`process ${process.pid} has the repo`))
})

test('of a node with peers it says whom that would ask, and what is wrong with that', async t => {
  const { folder, repo } = await repoIn(t)
  const file = join(folder, 'peers.json')
  await writeFile(file, JSON.stringify({ plugins: { network: 'on' } }))
  const routing = async () => (await doctor(folder, repo, '--config', file)).of('routing')
  t.regex((await routing())[0]?.about ?? '', /^asked: the DHT \(auto\), https:\/\/cid\.contact; what is told again: all$/)
  await changeConfig(repo, config => {
    config['Routing'] = { Type: 'elsewhere' }
  })
  const [found] = await routing()
  t.is(found?.state, 'wrong')
  t.is(found?.about, 'unrecognized routing option: elsewhere')
})

test('an engine that is too old is wrong', t => {
  t.is(engine('22.19.9').state, 'wrong')
  t.is(engine('20.99.0').state, 'wrong')
  t.is(engine('22.20.0').state, 'ok')
  t.is(engine('26.1.0').state, 'ok')
})

test('nothing is made or changed by looking', async t => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'empty'))
  await doctor(folder, join(folder, 'empty', 'repo'))
  const { readdir } = await import('node:fs/promises')
  t.deepEqual(await readdir(join(folder, 'empty')), [])
})

test('a configuration without addresses is looked at like any other', async t => {
  const { folder, repo } = await repoIn(t)
  const file = join(repo, 'config')
  const { Addresses: _, ...rest } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  await writeFile(file, JSON.stringify(rest))
  const { code, err, bad } = await doctor(folder, repo)
  t.deepEqual([code, err, bad], [0, '', []])
})

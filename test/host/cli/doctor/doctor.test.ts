import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { checks, type Finding } from '../../../../host/cli/doctor/finding.ts'
import { engine } from '../../../../host/cli/doctor/index.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { startDaemon } from '../../../helpers/process/daemon.ts'
import { changeConfig, doctor, newRepoIn, repoIn } from './patient.ts'

test('the page of the command line has a line for each thing that is looked at, and for no other', async t => {
  const page = await readFile(new URL('../../../../../docs/command-line.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split('### What doctor looks at\n')
  const documented = [...section.split('\n#')[0]!.matchAll(/^\| `([^`]+)` \|/gm)].map(([, check]) => check!)
  t.deepEqual(documented.sort(), [...checks].sort())
})

test('where nothing is wrong it says so and ends with 0', async t => {
  const { folder, repo } = await repoIn(t)
  const { code, bad, found } = await doctor(folder, repo)
  t.deepEqual([code, bad], [0, []])
  t.deepEqual(
    new Set(found.map(({ check }) => check)),
    new Set(['node', 'configuration', 'plugins', 'permissions', 'repo', 'node-config', 'lock', 'clock', 'space', 'ports'])
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

test('a repo that lost its configuration, or does not say its version, is called that, and the remedies are for that', async t => {
  const { folder, repo } = await newRepoIn(t)
  const pins = async () => (await commandLine(['--repo', repo, 'pin', 'ls'], { cwd: folder })).err
  await rename(join(repo, 'config'), join(folder, 'config'))
  const lost = await doctor(folder, repo)
  t.is(lost.code, 1)
  t.regex(lost.of('repo')[0]!.about, /there is a repo in .*, and its file 'config' is missing/)
  t.regex(lost.of('repo')[0]!.remedy!, /^Put back a copy of it\./)
  t.regex(await pins(), /^Error: there is a repo, and its file .*repo\/config is missing.*\nPut back a copy of it\./)
  await rename(join(folder, 'config'), join(repo, 'config'))
  for (const spoil of [() => rm(join(repo, 'version')), () => writeFile(join(repo, 'version'), '')]) {
    await spoil()
    const unsaid = await doctor(folder, repo)
    t.is(unsaid.code, 1)
    const [found] = unsaid.of('repo')
    t.regex(found!.about, /repo\/version does not say the repo's version$/)
    t.regex(found!.remedy!, /echo 15 > /)
    t.regex(await pins(), /should hold one number.*\n.*echo 15 > /)
  }
})

test('a command behind the end of the options is told to stand before it', async t => {
  const { code, err } = await commandLine(['--', 'version'], { cwd: await temporaryFolder(t) })
  t.is(code, 2)
  t.regex(err, /^Error: '--' ends the options and the words of a command, so 'version' behind it names none: put it before\n/)
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
  t.is(found?.about, 'Routing.Type: unrecognized routing option: elsewhere')
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
  const { Addresses: _, ...otherKeys } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  await writeFile(file, JSON.stringify(otherKeys))
  const { code, err, bad } = await doctor(folder, repo)
  t.deepEqual([code, err, bad], [0, '', []])
})

test('an identity whose parts are those of two peers is wrong, and nothing of the key is shown', async t => {
  const { folder, repo } = await newRepoIn(t)
  const other = (await newRepoIn(t)).repo
  const { Identity } = JSON.parse(await readFile(join(other, 'config'), 'utf8')) as { Identity: { PeerID: string; PrivKey: string } }
  await changeConfig(repo, config => {
    config['Identity'] = { ...(config['Identity'] as object), PeerID: Identity.PeerID }
  })
  const { code, bad, of } = await doctor(folder, repo)
  t.deepEqual([code, bad], [1, ['node-config']])
  t.regex(
    of('node-config')[0]!.about,
    new RegExp(`Identity\\.PrivKey: it belongs to the peer 12D3KooW\\w+, but Identity\\.PeerID is ${Identity.PeerID}$`)
  )
  await changeConfig(repo, config => {
    config['Identity'] = { ...Identity, PrivKey: Identity.PrivKey.slice(0, 40) }
  })
  const cut = await doctor(folder, repo)
  t.deepEqual([cut.code, cut.bad], [1, ['node-config']])
  t.false(cut.of('node-config')[0]!.about.includes(Identity.PrivKey.slice(0, 20)))
})

test('durations that cannot be read, or are out of bounds, are named with their keys', async t => {
  const { folder, repo } = await newRepoIn(t)
  await changeConfig(repo, config => {
    config['Datastore'] = { ...(config['Datastore'] as object), GCPeriod: 'an hour' }
    config['Ipns'] = { ...(config['Ipns'] as object), RepublishPeriod: '48h', RecordLifetime: '-1s' }
    const policy = (RepinInterval: string) => ({
      API: { Endpoint: '', Key: '' },
      Policies: { MFS: { Enable: false, PinName: '', RepinInterval } }
    })
    config['Pinning'] = { RemoteServices: { one: policy('5x'), two: policy('') } }
  })
  const { code, of } = await doctor(folder, repo)
  t.is(code, 1)
  t.deepEqual(
    of('node-config').map(({ state, about }) => [state, about.slice(about.indexOf('config: '))]),
    [
      ['wrong', 'config: Datastore.GCPeriod is "an hour": time: invalid duration "an hour"'],
      ['wrong', 'config: Ipns.RepublishPeriod is "48h": it is not between 1m and 24h'],
      ['wrong', 'config: Ipns.RecordLifetime is "-1s": it is not longer than nothing'],
      ['wrong', 'config: Pinning.RemoteServices.one.Policies.MFS.RepinInterval is "5x": time: unknown unit "x" in duration "5x"']
    ]
  )
})

test('a passphrase that is named and cannot be read is wrong, and one that can is not shown', async t => {
  const { folder, repo } = await newRepoIn(t)
  const file = join(folder, 'passphrase')
  await writeFile(join(folder, 'holdfast.config.json'), JSON.stringify({ plugins: { keys: { passphraseFile: file } } }))
  const none = await doctor(folder, repo)
  t.deepEqual([none.code, none.of('passphrase')[0]!.state], [1, 'wrong'])
  t.regex(none.of('passphrase')[0]!.about, /passphrase/)
  t.regex(none.of('passphrase')[0]!.remedy!, /plugins\.keys\.passphraseFile/)
  await writeFile(file, 'hush hush\n', { mode: 0o644 })
  if (process.platform !== 'win32') t.is((await doctor(folder, repo)).of('passphrase')[0]!.state, 'wrong')
  await chmod(file, 0o600)
  const good = await commandLine(['--repo', repo, 'doctor', '--json'], { cwd: folder })
  t.regex(good.out, /"check": ?"passphrase",\s*"state": ?"ok"/)
  t.false(good.out.includes('hush'))
  await writeFile(join(folder, 'holdfast.config.json'), '{}')
  const env = { HOLDFAST_KEY_PASSPHRASE_FILE: join(folder, 'nowhere') }
  const { code, out } = await commandLine(['--repo', repo, 'doctor', '--json'], { cwd: folder, env })
  t.is(code, 1)
  t.like(
    (JSON.parse(out) as Finding[]).find(({ check }) => check === 'passphrase'),
    { state: 'wrong' }
  )
})

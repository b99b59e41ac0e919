import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { nodeConfigModel } from '../../../config/node/index.ts'
import type { NodeConfig } from '../../../core/index.ts'
import { readAddressFile } from '../../../core/repo/layout.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { openRepo, refusal } from './harness.ts'

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

test('a new repo has its files, readable by its owner alone, and is itself again when opened', async t => {
  const path = join(await temporaryFolder(t), 'a', 'b')
  const repo = await openRepo(t, { path, init: {} })
  t.deepEqual((await readdir(path)).sort(), ['config', 'repo.lock', 'version'])
  t.is(await readFile(join(path, 'version'), 'utf8'), '15\n')
  t.is(await modeOf(path), '700')
  t.is(await modeOf(join(path, 'config')), '600')
  const text = await readFile(join(path, 'config'), 'utf8')
  t.is(text, JSON.stringify(JSON.parse(text), null, 2))
  t.deepEqual(Object.keys(JSON.parse(text)).slice(0, 4), ['Identity', 'Datastore', 'Addresses', 'Mounts'])
  const { peerId } = repo.identity
  await repo.stop()
  t.deepEqual((await readdir(path)).sort(), ['config', 'version'])
  const again = await openRepo(t, { path })
  t.is(again.identity.peerId, peerId)
  t.is(again.path, path)
})

test('a repo in memory has an identity and a configuration of its own, and no folder', async t => {
  const [one, other] = await Promise.all([openRepo(t, { path: undefined, init: {} }), openRepo(t, { path: undefined })])
  t.is(one.path, undefined)
  t.not(one.identity.peerId, other.identity.peerId)
  await one.replaceConfig({ ...one.config(), Mine: { a: 1 } })
  t.is(one.get('Mine.a'), 1)
  t.is(other.get('Mine.a'), undefined)
  await one.announce('api', '/ip4/127.0.0.1/tcp/5001')
  await one.forgetStorage('blockstore')
  t.is(await one.backupConfig('config-pre-test'), undefined)
  t.is(await one.diskUsage(), 0n)
})

test('profiles, key type and a configuration to start from shape a new repo', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  const config = { Datastore: { StorageMax: '1GB' }, Bootstrap: ['/ip4/10.0.0.1/tcp/1/p2p/x'], Own: [1] }
  const repo = await openRepo(t, { path, init: { algorithm: 'rsa', bits: 2048, profiles: ['server', 'lowpower'], config } })
  t.regex(repo.identity.peerId, /^Qm/)
  t.is(repo.get('Datastore.StorageMax'), '1GB')
  t.is(repo.get('Datastore.GCPeriod'), '1h')
  t.is(repo.get('Swarm.ConnMgr.HighWater'), 40)
  t.is(repo.get('Discovery.MDNS.Enabled'), false)
  t.deepEqual(repo.get('Own'), [1])
  t.deepEqual(repo.get('Bootstrap'), config.Bootstrap)
})

test('a configuration that brings a key pair keeps it', async t => {
  const given = await openRepo(t, { path: undefined })
  const repo = await openRepo(t, { path: join(await temporaryFolder(t), 'repo'), init: { config: given.config() } })
  t.is(repo.identity.peerId, given.identity.peerId)
})

test('a profile that does not exist, or a key that cannot be made, leaves no repo', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  t.is((await refusal(t, { path, init: { profiles: ['server', 'nope'] } })).message, 'invalid configuration profile: nope')
  t.is((await refusal(t, { path, init: { algorithm: 'rsa', bits: 1024 } })).code, 'E_KEY_TOO_SMALL')
  await t.throwsAsync(readdir(path), { code: 'ENOENT' })
})

test('a repo is not made over another', async t => {
  const path = await temporaryFolder(t)
  const first = await openRepo(t, { path, init: {} })
  const { peerId } = first.identity
  await first.stop()
  const { message } = await refusal(t, { path, init: { mustBeNew: true } })
  t.is(message, 'ipfs configuration file already exists!\nReinitializing would overwrite your keys\n')
  t.is((await openRepo(t, { path, init: {} })).identity.peerId, peerId)
})

test('a folder without a repo is named, with what to do', async t => {
  const folder = await temporaryFolder(t)
  t.is((await refusal(t, { path: folder })).message, `no IPFS repo found in ${folder}.\nplease run: 'holdfast init'`)
  t.is((await refusal(t, { path: join(folder, 'none') })).code, 'E_REPO_ABSENT')
  t.deepEqual(await readdir(folder), [])
})

test('a path that is a file, or lies below one, is refused', async t => {
  const file = join(await temporaryFolder(t), 'file')
  await writeFile(file, '')
  t.is((await refusal(t, { path: file, init: {} })).message, `${file} is not a folder, so it cannot hold a repo`)
  t.is((await refusal(t, { path: join(file, 'repo'), init: {} })).code, 'E_REPO_NOT_FOLDER')
})

test('a repo of a newer, an older or no version is refused', async t => {
  const path = await temporaryFolder(t)
  await (await openRepo(t, { path, init: {} })).stop()
  for (const [text, code, message] of [
    ['18\n', 'E_REPO_NEWER', /^Your programs version \(15\) is lower than your repos \(18\)\.\n/],
    ['12', 'E_REPO_OLDER', /has version 12, this node needs 15/],
    ['x', 'E_REPO_VERSION', /version should hold one number, the repo's version, but holds 'x'$/]
  ] as const) {
    await writeFile(join(path, 'version'), text)
    const refused = await refusal(t, { path })
    t.is(refused.code, code)
    t.regex(refused.message, message)
  }
  t.false((await readdir(path)).includes('repo.lock'))
})

test('a broken configuration is named by file and place', async t => {
  const path = await temporaryFolder(t)
  await (await openRepo(t, { path, init: {} })).stop()
  const file = join(path, 'config')
  const config = JSON.parse(await readFile(file, 'utf8')) as NodeConfig
  await writeFile(file, '{\n  "Identity": {},\n  oops\n}')
  t.regex((await refusal(t, { path })).message, /config is not JSON: .*line 3 column 3/)
  await writeFile(file, JSON.stringify({ ...config, Datastore: { StorageGCWatermark: '80' } }))
  const { message } = await refusal(t, { path })
  t.is(message, `${file}: Datastore.StorageGCWatermark is "80" (a string); allowed: an integer`)
  await writeFile(file, JSON.stringify({ ...config, Experimental: { ShardingEnabled: true } }))
  t.regex((await refusal(t, { path })).message, /Experimental\.ShardingEnabled is true; allowed: false/)
  await writeFile(file, JSON.stringify({ ...config, Identity: {} }))
  t.is((await refusal(t, { path })).message, `${file}: Identity.PrivKey: there is none`)
})

test('a private key of another peer is refused', async t => {
  const path = await temporaryFolder(t)
  const repo = await openRepo(t, { path, init: {} })
  const other = await openRepo(t, { path: undefined })
  const { PrivKey } = other.config()['Identity'] as { PrivKey: string }
  await repo.replaceConfig(nodeConfigModel.merge(repo.config(), { Identity: { PrivKey } }))
  await repo.stop()
  const { message } = await refusal(t, { path })
  t.true(message.includes(other.identity.peerId))
  t.false(message.includes(PrivKey))
})

test('defaults stand in for what the file does not say, and this run may say otherwise', async t => {
  const repo = await openRepo(t, { path: undefined, overrides: { 'Routing.Type': 'none', 'Experimental.FilestoreEnabled': true } })
  t.is(repo.get('Ipns.RecordLifetime'), '48h')
  t.is(repo.get('Routing.Type'), 'none')
  t.is(repo.get('Experimental.FilestoreEnabled'), true)
  t.is(repo.get('Experimental.UrlstoreEnabled'), false)
  t.is(repo.get('Nothing.Here'), undefined)
  t.is(repo.get('Routing.Type.Deeper'), undefined)
  t.is(repo.get('__proto__.toString'), undefined)
  t.deepEqual(repo.config()['Routing'], { Routers: null, Methods: null })
})

test('a change is whole, sorted, durable on disk and keeps keys that nobody knows', async t => {
  const path = await temporaryFolder(t)
  const repo = await openRepo(t, { path, init: {} })
  await repo.updateConfig(config => ({ ...config, Unknown: { z: 1, a: ['<b>'] } }))
  const text = await readFile(join(path, 'config'), 'utf8')
  t.true(text.startsWith('{\n  "API": {'))
  t.true(text.includes('\\u003cb\\u003e'))
  t.false(text.endsWith('\n'))
  t.is(await modeOf(join(path, 'config')), '600')
  await repo.stop()
  const again = await openRepo(t, { path })
  t.deepEqual(again.config()['Unknown'], { z: 1, a: ['<b>'] })
})

test('a change that does not fit the types is refused and nothing is written', async t => {
  const path = await temporaryFolder(t)
  const repo = await openRepo(t, { path, init: {} })
  const before = await readFile(join(path, 'config'), 'utf8')
  const error = await t.throwsAsync(repo.updateConfig(config => ({ ...config, Bootstrap: 'x' })))
  t.is(error?.message, 'json: cannot unmarshal string into Go struct field Config.Bootstrap of type []string')
  t.is(await readFile(join(path, 'config'), 'utf8'), before)
  t.true(Array.isArray(repo.get('Bootstrap')))
})

test('changes made at the same time all arrive', async t => {
  const repo = await openRepo(t, { path: await temporaryFolder(t), init: {} })
  const names = Array.from({ length: 20 }, (_, i) => `Key${i}`)
  await Promise.all(names.map(name => repo.updateConfig(async config => ({ ...config, [name]: name }))))
  t.deepEqual(
    names.map(name => repo.get(name)),
    names
  )
})

test('an edit of the file while the node runs is seen', async t => {
  const path = await temporaryFolder(t)
  const repo = await openRepo(t, { path, init: {} })
  const file = join(path, 'config')
  await writeFile(file, nodeConfigModel.print(nodeConfigModel.merge(repo.config(), { Datastore: { StorageMax: '3GB' } })))
  await utimes(file, new Date(), new Date(Date.now() + 10_000))
  t.is((repo.config()['Datastore'] as NodeConfig)['StorageMax'], '3GB')
  t.is(repo.get('Datastore.StorageMax'), '3GB')
})

const addressIn = async (path: string, listener: 'api' | 'gateway') => (await readAddressFile(path, listener))?.address

test('addresses of listeners lie in the folder while the node runs, as clients can dial them', async t => {
  const path = await temporaryFolder(t)
  await writeFile(join(path, 'api'), '/ip4/127.0.0.1/tcp/1')
  const repo = await openRepo(t, { path, init: {} })
  t.is(await addressIn(path, 'api'), undefined)
  await repo.announce('api', '/ip4/0.0.0.0/tcp/5001')
  await repo.announce('gateway', 'http://[::]:8080')
  t.is(await readFile(join(path, 'api'), 'utf8'), '/ip4/127.0.0.1/tcp/5001')
  t.is(await addressIn(path, 'api'), '/ip4/127.0.0.1/tcp/5001')
  t.is(await addressIn(path, 'gateway'), 'http://[::1]:8080')
  await repo.stop()
  t.deepEqual((await readdir(path)).sort(), ['config', 'version'])
})

test('an address file that is too large to be one is refused', async t => {
  const path = await temporaryFolder(t)
  await writeFile(join(path, 'api'), ` ${'x'.repeat(2046)}`)
  t.is(await addressIn(path, 'api'), 'x'.repeat(2046))
  await writeFile(join(path, 'api'), 'x'.repeat(2048))
  await t.throwsAsync(readAddressFile(path, 'api'), { message: `API file too large, must be <2048 bytes long: ${join(path, 'api')}` })
})

test('disk usage counts every file below the folder', async t => {
  const path = await temporaryFolder(t)
  const repo = await openRepo(t, { path, init: {} })
  const before = await repo.diskUsage()
  await mkdir(join(path, 'blocks', 'AB'), { recursive: true })
  await writeFile(join(path, 'blocks', 'AB', 'X.data'), new Uint8Array(1000))
  t.is((await repo.diskUsage()) - before, 1000n)
})

test('a backup of the configuration lies beside it', async t => {
  const path = await temporaryFolder(t)
  const repo = await openRepo(t, { path, init: {} })
  const copy = await repo.backupConfig('config-pre-server')
  t.true(copy!.startsWith(join(path, 'config-pre-server-')))
  t.is(await readFile(copy!, 'utf8'), await readFile(join(path, 'config'), 'utf8'))
})

import test, { type ExecutionContext } from 'ava'
import { command, globalOptions, nothing, p, plugin } from '../../../core/index.ts'
import { parsePeerId, peerIdString } from '../../../core/keys/peer-id.ts'
import { createHost, type NodeHost } from '../../../host/index.ts'
import { version as hostVersion } from '../../../host/version.ts'
import { catalogue } from '../../../plugins/catalogue.ts'
import { linesOf, treeOf } from '../../../plugins/diagnostics/tree.ts'

const OTHER = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'

const many = plugin({
  name: 'many',
  api: '^1',
  about: 'Commands to list.',
  commands: ['pin/remote/service/add', 'pin/add', 'pin', 'zoo'].map(path =>
    command.read(path, {
      help: '',
      options: { recursive: p.bool('').alias('r'), b: p.string(''), cidVersion: p.int('').alias('cid-ver') },
      reply: nothing(),
      run: () => {}
    })
  )
})

async function started(t: ExecutionContext): Promise<NodeHost> {
  const wanted = catalogue.filter(({ name }) => ['repo', 'diagnostics'].includes(name))
  const configuration = { rpc: { checkReplies: true }, commands: { 'repo/**': 'off', 'stats/repo': 'off' } } as const
  const host = await createHost({ catalogue: wanted, plugins: [many], configuration })
  await host.start()
  t.teardown(() => host.stop())
  return host
}

test('a node says who it is', async t => {
  const host = await started(t)
  const id = (await host.call('id')) as Record<string, unknown>
  t.deepEqual(Object.keys(id), ['ID', 'PublicKey', 'Addresses', 'AgentVersion', 'Protocols'])
  t.like(id, { Addresses: null, AgentVersion: `holdfast/${hostVersion}`, Protocols: null })
  t.regex(String(id['ID']), /^12D3KooW/)
  t.regex(String(id['PublicKey']), /^CAESI/)
  t.deepEqual(await host.call('id', { args: [id['ID']] }), id)
})

test('at a newer level the agent begins as that of the reference whose RPC it speaks, and goes on with who it is', async t => {
  const wanted = catalogue.filter(({ name }) => ['repo', 'diagnostics'].includes(name))
  const host = await createHost({
    catalogue: wanted,
    configuration: { rpc: { level: '0.42' }, commands: { 'repo/**': 'off', 'stats/repo': 'off' } }
  })
  await host.start()
  t.teardown(() => host.stop())
  t.like(await host.call('id'), { AgentVersion: `kubo/0.42.0/holdfast/${hostVersion}` })
})

test('the ID is written in the base that the caller asks for, whether it is its own or not', async t => {
  const host = await started(t)
  const { ID } = (await host.call('id', { options: { peeridBase: 'base36' } })) as { ID: string }
  t.regex(ID, /^k51qzi5uqu5d/)
  t.like(await host.call('id', { args: [ID] }), { ID: peerIdString(parsePeerId(ID)), AgentVersion: `holdfast/${hostVersion}` })
  for (const base of ['nope', '']) {
    const error = await t.throwsAsync(host.call('id', { options: { peeridBase: base } }))
    t.is(error?.message, base === '' ? 'empty multibase encoding' : 'unsupported multibase encoding: nope')
  }
})

test('of another peer an offline node knows what its ID says, and only when asked not to look for it', async t => {
  const host = await started(t)
  t.deepEqual(await host.call('id', { args: [OTHER], options: { offline: true, peeridBase: 'k' } }), {
    ID: 'k51qzi5uqu5diyuko9mbuptadvp6jmt41uwkze6eutubr9kvljambkngygotep',
    PublicKey: 'CAESIG+9bs2wOL3mbopCRWI/40/1wUzpG0mBPlHun15EnkLh',
    Addresses: [`/p2p/${OTHER}`],
    AgentVersion: '',
    Protocols: null
  })
  t.like(await host.call('id', { args: ['QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ'], options: { offline: true } }), { PublicKey: '' })
  await t.throwsAsync(host.call('id', { args: [OTHER] }), { code: 'E_ID_NEEDS_ONLINE' })
  await t.throwsAsync(host.call('id', { args: [OTHER], options: { local: true } }), { code: 'E_ID_NEEDS_ONLINE' })
  for (const text of ['', 'nope', `/p2p/${OTHER}`, 'example.com']) {
    await t.throwsAsync(host.call('id', { args: [text], options: { offline: true } }), { message: 'invalid peer id' })
  }
})

test('version says the level of the RPC and what the program really is', async t => {
  const host = await started(t)
  t.like(await host.call('version'), {
    Version: '0.28.0',
    Commit: `holdfast/${hostVersion}`,
    Repo: '15',
    Golang: `node/${process.versions.node}`
  })
})

test('version/deps lists this program first, then what it was installed with', async t => {
  const host = await started(t)
  const listed: Array<{ Path: string; Version: string; ReplacedBy: string }> = []
  for await (const item of (await host.call('version/deps')) as AsyncIterable<(typeof listed)[number]>) listed.push(item)
  t.like(listed[0], { Path: 'holdfast', Version: hostVersion, ReplacedBy: '' })
  t.regex(listed.find(({ Path }) => Path === 'multiformats')!.Version, /^\d+\.\d+\.\d+/)
  t.regex(listed.find(({ Path }) => Path === 'rocksdb')!.ReplacedBy, /^rocksdb-native@\d/)
  const names = listed.slice(1).map(({ Path }) => Path)
  t.deepEqual(names, [...names].sort())
})

test('commands are a tree, with groups that are no commands themselves', async t => {
  const host = await started(t)
  const root = (await host.call('commands')) as ReturnType<typeof treeOf>
  t.is(root.Name, 'ipfs')
  t.is(root.Options.length, Object.keys(globalOptions).length)
  t.deepEqual(root.Options[2], { Names: ['config', 'c'] })
  const remote = root.Subcommands.find(({ Name }) => Name === 'pin')!.Subcommands.find(({ Name }) => Name === 'remote')!
  t.deepEqual(remote.Options, [])
  t.is(remote.Subcommands[0]!.Subcommands[0]!.Name, 'add')
})

test('commands as text are one a line, sorted, with their options where asked', t => {
  const root = treeOf(many.commands)
  const plain = [
    'ipfs',
    'ipfs pin',
    'ipfs pin add',
    'ipfs pin remote',
    'ipfs pin remote service',
    'ipfs pin remote service add',
    'ipfs zoo'
  ]
  t.deepEqual(linesOf(root, { flags: false }), plain)
  const flags = linesOf(root, { flags: true })
  t.deepEqual(flags.slice(0, 5), [
    'ipfs',
    'ipfs pin',
    'ipfs pin --cid-version / ipfs pin --cid-ver',
    'ipfs pin --recursive / ipfs pin -r',
    'ipfs pin -b'
  ])
  t.is(flags.length, plain.length + 4 * 3)
})

test('shutdown asks the host to stop and answers nothing', async t => {
  const host = await started(t)
  await t.throwsAsync(host.call('shutdown'), { code: 'E_NO_DAEMON', message: 'daemon not running' })
  const asked = new Promise<string>(resolve => host.onShutdown(resolve))
  t.is(await host.call('shutdown'), undefined)
  t.is(await asked, 'asked to by the shutdown command')
})

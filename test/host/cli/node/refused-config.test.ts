/** A node configuration with values that are refused, as an editor or another program leaves it. */
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Finding } from '../../../../host/cli/doctor/finding.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { startDaemon } from '../../../helpers/process/daemon.ts'
import { changeConfig, doctor, newRepoIn } from '../doctor/patient.ts'

type Config = Record<string, object>

/** The change that breaks a configuration, what an error says of it, and the words of `config` that mend it. */
const BROKEN: ReadonlyArray<readonly [what: string, change: (config: Config) => void, told: RegExp, mend: readonly string[][]]> = [
  [
    'a value of another type',
    config => Object.assign(config['Ipns']!, { RepublishPeriod: 5 }),
    /Ipns\.RepublishPeriod is 5/,
    [['Ipns.RepublishPeriod', '4h']]
  ],
  [
    'two values that nothing works with',
    config => Object.assign(config, { Import: { CidVersion: 7 }, Internal: { UnixFSShardingSizeThreshold: '-1' } }),
    /Import\.CidVersion is 7/,
    [
      ['--json', 'Import.CidVersion', '1'],
      ['Internal.UnixFSShardingSizeThreshold', '256KiB']
    ]
  ],
  [
    'a peer ID in a list that is none',
    config => Object.assign(config, { Peering: { Peers: [{ ID: 'bad', Addrs: [] }] } }),
    /Peering\.Peers\[0\]\.ID is "bad"/,
    [['--json', 'Peering.Peers', '[]']]
  ],
  [
    'an address that is a number',
    config => Object.assign(config['Addresses']!, { API: 5 }),
    /Addresses\.API is 5/,
    [['Addresses.API', '/ip4/127.0.0.1/tcp/0']]
  ],
  [
    'a resolver that is no address of one',
    config => Object.assign(config, { DNS: { Resolvers: { '.': 'junk' } } }),
    /DNS\.Resolvers\.\. is "junk"/,
    [['--json', 'DNS.Resolvers', '{}']]
  ],
  [
    'an address that nothing can listen on',
    config => Object.assign(config['Addresses']!, { Gateway: 'junk' }),
    /Addresses\.Gateway is "junk"/,
    [['Addresses.Gateway', '/ip4/127.0.0.1/tcp/0']]
  ],
  [
    'an experiment that is gone',
    config => Object.assign(config, { Experimental: { ShardingEnabled: true } }),
    /Experimental\.ShardingEnabled is true/,
    [['--json', 'Experimental.ShardingEnabled', 'false']]
  ]
]

async function broken(t: ExecutionContext, change: (config: Config) => void) {
  const { folder, repo } = await newRepoIn(t)
  await changeConfig(repo, change as (config: Record<string, unknown>) => void)
  return { folder, repo, holdfast: (...words: string[]) => commandLine(['--repo', repo, ...words], { cwd: folder }) }
}

for (const [what, change, told, mend] of BROKEN) {
  test(`${what}: commands that need no node run, the doctor names it, and config mends it`, async t => {
    const { folder, repo, holdfast } = await broken(t, change)
    const version = await holdfast('version', '-n')
    t.deepEqual([version.code, version.out], [0, '0.28.0\n'], version.err)
    t.regex(version.err, told)
    t.is((await holdfast('help')).code, 0)
    const shown = await holdfast('config', 'show')
    t.is(shown.code, 0, shown.err)
    t.regex(shown.err, /^The node configuration is refused, and its other values alone count for this command: /)
    t.true(shown.err.endsWith(`Mend it: holdfast config KEY VALUE\n`), shown.err)
    t.false(shown.out.includes('PrivKey'))

    const { of } = await doctor(folder, repo)
    t.true(of('node-config').some(({ state, about }) => state === 'wrong' && told.test(about)))
    t.is(of('node-config').length, mend.length)

    for (const words of [
      ['repo', 'gc'],
      ['daemon', '--offline']
    ]) {
      const refused = await holdfast(...words)
      t.is(refused.code, 1, words.join(' '))
      t.regex(refused.err, told)
      t.regex(refused.err, /Mend it: holdfast config KEY VALUE\n$/)
    }
    // a value that fits no better is refused, and so is one that breaks another key
    const [key, value] = mend[0]!.filter(word => word !== '--json') as [string, string]
    t.is((await holdfast('config', '--json', key, '{"x":1}')).code, 1)
    t.is((await holdfast('config', '--json', 'Datastore.StorageGCWatermark', '"much"')).code, 1)
    for (const words of mend) {
      const mended = await holdfast('config', ...words)
      t.is(mended.code, 0, mended.err)
    }
    const after = await holdfast('config', key)
    t.deepEqual([after.code, after.err, after.out.trim()], [0, '', value.replace('[]', '[]')])
    t.true((await readFile(join(repo, 'config'), 'utf8')).includes('PrivKey'))
  })
}

test('secrets stay unseen in a configuration whose parts are of other types', async t => {
  const { holdfast } = await broken(t, config =>
    Object.assign(config, { Pinning: { RemoteServices: [{ API: { Key: 'hunter2' } }] }, API: { Authorizations: ['hunter2'] } })
  )
  for (const words of [['show'], ['API']]) {
    const { code, out, err } = await holdfast('config', ...words)
    t.is(code, 0, err)
    t.false((out + err).includes('hunter2'), words[0])
  }
})

test('a peer ID that is not that of the private key is mended by config, and no other is taken', async t => {
  const { repo, holdfast } = await broken(t, () => {})
  const peer = (await holdfast('config', 'Identity.PeerID')).out.trim()
  const other = '12D3KooWSN1MDvcvSqAvj3Zbo8SGDZxEPEY9iKwFdTpYeSNKeuHV'
  await changeConfig(repo, config => Object.assign(config['Identity'] as object, { PeerID: other }))
  t.is((await holdfast('version')).code, 0)
  t.is((await holdfast('config', 'Identity.PeerID', '12D3KooWL3XJ9EMCyZvmmGXL2LMiVBtrVa2BuESsJiXkSj7333Jw')).code, 1)
  t.is((await holdfast('config', 'Identity.PeerID', peer)).code, 0)
  t.deepEqual((await holdfast('id', '-f', '<id>')).out.trim(), peer)
})

test('a configuration that is no JSON stops no command that needs no node, and config edit opens it', async t => {
  const { folder, repo, holdfast } = await broken(t, () => {})
  const file = join(repo, 'config')
  await copyFile(file, join(folder, 'good'))
  await writeFile(file, `${(await readFile(file, 'utf8')).slice(0, -3)},,`)
  const version = await holdfast('version', '-n')
  t.deepEqual([version.code, version.out], [0, '0.28.0\n'], version.err)
  t.regex(version.err, /config is not JSON: /)
  t.is((await holdfast('help')).code, 0)
  t.deepEqual((await doctor(folder, repo)).bad, ['node-config'])
  for (const words of [['show'], ['Datastore.StorageMax', '5GB']]) {
    const { code, err } = await holdfast('config', ...words)
    t.is(code, 1)
    t.regex(err, /config is not JSON: /)
  }
  process.env['EDITOR'] = `cp '${join(folder, 'good')}'`
  t.teardown(() => delete process.env['EDITOR'])
  await writeFile(join(folder, 'older.json'), '{"plugins":{"older":"on"}}')
  const edited = await holdfast('--config', join(folder, 'older.json'), 'config', 'edit')
  t.is(edited.code, 0, edited.err)
  t.deepEqual(await readFile(file, 'utf8'), await readFile(join(folder, 'good'), 'utf8'))
})

test('a value that an editor broke below a node that runs is mended through it, and counts for nothing meanwhile', async t => {
  const { repo, holdfast } = await broken(t, config => Object.assign(config, { Import: { CidVersion: 1 } }))
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  await changeConfig(repo, config => Object.assign(config, { Import: { CidVersion: 7 }, Ipns: 5 }))
  t.regex((await holdfast('config', 'show')).err, /config: Import\.CidVersion is 7/)
  t.regex((await holdfast('config', 'Datastore.StorageMax', '5GB')).err, /config: Import\.CidVersion is 7/)
  const added = await commandLine(['--repo', repo, 'add', '-Q'], { stdin: 'x' })
  t.regex(added.out, /^bafk/)
  t.regex((await holdfast('config', '--json', 'Import.CidVersion', '9')).err, /CidVersion/)
  t.is((await holdfast('config', '--json', 'Import.CidVersion', '0')).code, 0)
  t.is((await holdfast('config', '--json', 'Ipns', '{}')).code, 0)
  t.regex((await commandLine(['--repo', repo, 'add', '-Q'], { stdin: 'x' })).out, /^Qm/)
  await daemon.stop()
})

test('a host configuration that is refused stops neither help nor the doctor, which say what is wrong', async t => {
  const { folder, repo } = await newRepoIn(t)
  const file = join(folder, 'host.json')
  const holdfast = (...words: string[]) => commandLine(['--repo', repo, '--config', file, ...words], { cwd: folder })
  for (const [content, told, check] of [
    ['{"rpc":{"limits":{"keepAliveMs":"soon"}}}', /host\.json: rpc\.limits\.keepAliveMs is "soon"; allowed: a duration/, 'configuration'],
    ['{"pluginz":{}}', /host\.json: pluginz: there is no such key — did you mean 'plugins'/, 'configuration'],
    ['{"plugins":{', /host\.json cannot be read/, 'configuration'],
    ['{"plugins":{"bitswap":{"banTime":"soon"}}}', /host\.json: plugins\.bitswap: .*banTime is "soon"; allowed: a duration/, 'plugins']
  ] as const) {
    await writeFile(file, content)
    for (const [words, says] of [
      [['help'], /^ {2}USAGE|COMMANDS/m],
      [['--help'], /COMMANDS/],
      [['help', 'pin'], /holdfast pin <command>/],
      [['pin', 'add', '--help'], /holdfast pin add: /]
    ] as const) {
      const { code, out, err } = await holdfast(...words)
      t.is(code, 0, err)
      t.regex(out, says)
      if (check === 'configuration') t.regex(err, told, words.join(' '))
    }
    t.regex((await holdfast('repo', 'stat')).err, told)
    const { code, out } = await holdfast('doctor', '--json')
    t.is(code, 1)
    t.true((JSON.parse(out) as Finding[]).some(finding => finding.check === check && finding.state === 'wrong' && told.test(finding.about)))
  }
})

import { cp, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { Names } from '../../../core/index.ts'
import { formatName, parseName } from '../../../core/ipns/index.ts'
import { generateIdentity, pemOf } from '../../../core/keys/index.ts'
import { createHost, repoOf } from '../../../host/create.ts'
import { openRpc } from '../../../host/rpc/listener.ts'
import { catalogue } from '../../../plugins/catalogue.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { onlineNode } from '../../helpers/online.ts'
import { commandLine } from '../../helpers/process/command-line.ts'
import { missingFuse } from '../../helpers/process/fuse.ts'
import { unpacked } from '../../plugins/migrate/world.ts'
import { recordOf, signer } from '../../plugins/name/helpers.ts'
import { pinningService } from '../../plugins/remote-pins/service.ts'

const files = fileURLToPath(new URL('../../../../test/host/reference/files', import.meta.url))

/** Where the examples find the folder `site`. */
const SITE = 'QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc'

/** Plugins with commands that are off unless they are switched on. */
const optional = catalogue.filter(({ offByDefault, paths }) => offByDefault === true && paths.length > 0)

/** The words of a line as a shell tells them apart: by spaces, quotes around what has some. */
function words(line: string): string[] {
  return [...line.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replaceAll(/['"]/g, ''))
}

/** The peer of the examples, and where it is. */
const PEER = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
const ADDRESS = '/ip4/192.0.2.7/tcp/4001'

/** The name of the examples. */
const NAME = 'k51qzi5uqu5dj7skeind43o1an76ns1q5g2bupqw6o1hmcccenbkvalzo2olt0'

/** The commands whose examples need a node with a peer. */
const talks = new Set([
  ...catalogue
    .filter(({ name }) => ['bitswap', 'mount', 'p2p', 'provide', 'pubsub', 'routing', 'swarm'].includes(name))
    .flatMap(({ paths }) => paths),
  'name/get',
  'name/put',
  'repo/verify',
  'version/check'
])

/**
 * A command line on a node that is connected with another, which takes the place of the peer of the examples. The node has the folder `site`, and the
 * record of a name that takes the place of theirs.
 */
async function shellAmongPeers(t: ExecutionContext) {
  const cwd = join(await temporaryFolder(t), 'files')
  await cp(files, cwd, { recursive: true })
  const mounts = [join(cwd, 'ipfs'), join(cwd, 'ipns'), join(cwd, 'mfs')] as const
  await Promise.all(mounts.map(folder => mkdir(folder)))
  const options = { on: { gossipsub: { enabled: true } }, node: { 'Experimental.Libp2pStreamMounting': true } }
  const [node, friend] = await Promise.all([onlineNode(t, options), onlineNode(t, options)])
  const { host, network } = node
  await network.dial(friend.network.self, friend.network.announced())
  const rpc = await openRpc({ calls: host.calls, repo: repoOf(host), host, logs: host.logs, addresses: ['/ip4/127.0.0.1/tcp/0'] })
  t.teardown(() => rpc.close())
  const [address = ''] = friend.network.announced()
  // nobody knows which ports of this machine are free
  const placed = (line: string) =>
    line
      .replaceAll('/mnt/ipfs', mounts[0])
      .replaceAll('/mnt/ipns', mounts[1])
      .replaceAll('/mnt/mfs', mounts[2])
      .replaceAll('/tcp/9000', '/tcp/0')
  const by = await signer()
  const [name, record] = [formatName(parseName(by.peerId)), await recordOf(by)]
  await writeFile(join(cwd, 'site.ipns-record'), record)
  await host.service(Names)!.put(name, record)
  const real = (line: string) => placed(line).replaceAll(ADDRESS, address).replaceAll(PEER, friend.network.self).replaceAll(NAME, name)
  const holdfast = (line: string) => commandLine(words(real(line)), { cwd, env: { HOLDFAST_API: rpc.addresses[0]! } })
  t.is((await holdfast('add -rQ site')).out, `${SITE}\n`)
  return holdfast
}

/** The command line beside the example files, with a node that has been given the folder `site`, also in the mutable tree, and a key of that name. */
async function shell(t: ExecutionContext) {
  const on = Object.fromEntries(optional.map(({ name }) => [name, 'on' as const]))
  const host = await createHost({
    repo: { path: undefined, init: {}, overrides: { 'Experimental.FilestoreEnabled': true } },
    configuration: { plugins: { ...on, 'storage-rocksdb': 'off', 'storage-memory': 'on' }, rpc: { checkReplies: true } }
  })
  await host.start()
  // a node that runs knows what its end is
  host.onShutdown(() => {})
  const rpc = await openRpc({ calls: host.calls, repo: repoOf(host), host, logs: host.logs, addresses: ['/ip4/127.0.0.1/tcp/0'] })
  t.teardown(async () => {
    await rpc.close()
    await host.stop()
  })
  const cwd = join(await temporaryFolder(t), 'files')
  await cp(files, cwd, { recursive: true })
  const config = join(cwd, '..', 'config.json')
  await writeFile(config, JSON.stringify({ plugins: on }))
  const holdfast = (line: string) => commandLine(words(line), { cwd, env: { HOLDFAST_API: rpc.addresses[0]!, HOLDFAST_CONFIG: config } })
  t.is((await holdfast('add -rQ site')).out, `${SITE}\n`)
  t.is((await holdfast('add -Q --cid-version=1 site/index.html')).code, 0)
  t.is((await holdfast(`files cp /ipfs/${SITE} /site`)).code, 0)
  const { privateKey } = await generateIdentity()
  await writeFile(join(cwd, 'site.key'), privateKey)
  await writeFile(join(cwd, 'site.pem'), pemOf(privateKey))
  await writeFile(join(cwd, 'site.ipns-record'), await recordOf(await signer()))
  t.is((await holdfast('key gen site')).code, 0)
  return holdfast
}

/** A command line with a repo of its own, in whose home there is one of Kubo's. */
async function shellBesideKubo(t: ExecutionContext) {
  const { path, folder } = await unpacked(t)
  await rename(path, join(folder, '.ipfs'))
  return (line: string) => commandLine([...words(line.replaceAll('~', folder)), '--repo', join(folder, 'repo')])
}

/** The same with the pinning service of the examples. */
async function shellWithService(t: ExecutionContext) {
  const [holdfast, service] = await Promise.all([shell(t), pinningService(t)])
  t.is((await holdfast(`pin remote service add mine ${service.url} secret`)).code, 0)
  return holdfast
}

/** The commands whose examples ask that service. */
const asksService = new Set(['pin/remote/add', 'pin/remote/ls', 'pin/remote/rm', 'pin/remote/service/rm'])

const plugins = await Promise.all(catalogue.map(async ({ load }) => (await load()).default))
const commands = plugins.flatMap(plugin => plugin.commands)

for (const { path, examples } of commands.filter(command => command.examples.length > 0)) {
  const missing = path === 'mount' ? missingFuse() : undefined
  const title = `the examples of ${path} do what they say`
  const run = missing === undefined ? test : test.skip
  run(missing === undefined ? title : `${title} (${missing})`, async t => {
    const open = talks.has(path) ? shellAmongPeers : asksService.has(path) ? shellWithService : path === 'migrate' ? shellBesideKubo : shell
    const holdfast = await open(t)
    for (const { title, args } of examples) {
      t.regex(title, /^[A-Z].*[^.]$/, 'a heading')
      t.deepEqual(words(args).slice(0, path.split('/').length), path.split('/'), args)
      const [line, file] = args.split(' > ')
      const { code, err, bytes } = await holdfast(line!)
      t.is(code, 0, `${args}: ${err}`)
      t.notRegex(err, /^Error/m, args)
      if (file !== undefined) t.true(bytes.length > 0, args)
    }
  })
}

test('an example with an option that its command does not have would be found out', async t => {
  const holdfast = await shell(t)
  t.is((await holdfast('pin add --nope=1 x')).code, 2)
  t.is((await holdfast('pin rm x')).code, 1)
})

test('every group brings examples, but for one whose commands are gone', t => {
  for (const { name, status, commands: ofPlugin } of plugins) {
    if (status === 'removed') continue
    t.true(ofPlugin.length === 0 || ofPlugin.some(({ examples }) => examples.length > 0), name)
  }
})

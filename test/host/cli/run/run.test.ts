/** Commands against a node that runs, and without one. */
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { pluginIn } from '../../../helpers/plugin.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { startDaemon } from '../../../helpers/process/daemon.ts'

const HELLO = 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN'

async function tree(folder: string): Promise<void> {
  await mkdir(join(folder, 'tree', 'sub'), { recursive: true })
  await writeFile(join(folder, 'tree', 'a.txt'), 'hi\n')
  await writeFile(join(folder, 'tree', '.hidden'), 'x\n')
  await writeFile(join(folder, 'tree', 'sub', 'b.log'), 'yo\n')
  await symlink('a.txt', join(folder, 'tree', 'link'))
}

test('a node that runs is found by the address in its repo, and what it answers is printed', async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  await tree(folder)
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  const holdfast = (args: string[], stdin = '') => commandLine(['--repo', repo, ...args], { cwd: folder, stdin })

  const added = await holdfast(['add', '-r', 'tree'])
  t.is(added.err, '')
  t.is(
    added.out,
    [
      'added QmZLRFWaz9Kypt2ACNMDzA5uzACDRiCqwdkNSP1UZsu56D tree/a.txt',
      'added QmS9U51FvTAqDDVLJ5okMzeLjsEeg8JEG1rPmSq2oPahF6 tree/link',
      'added QmTG2EDgd2JZh7M9iVSv85DtJwWTt5seY4dX6YAQmvvBGD tree/sub/b.log',
      'added QmXhYtCESSgv3o5DndbkoYAaSJYgSSWe81haoX1eyLbX3v tree/sub',
      'added QmXxbRgbNzLB4ZSkKe7td9cZwAVj7vjcZiSgrMaMvSMweH tree',
      ''
    ].join('\n')
  )
  const root = (await holdfast(['add', '-rQ', 'tree'])).out.trim()
  t.is((await holdfast(['cat', `${root}/a.txt`])).out, 'hi\n')
  t.regex((await holdfast(['ls', root])).out, / 3 a\.txt\n.* 5 link\n.* - sub\/\n$/)

  t.is((await holdfast(['add', '-q'], 'hello\n')).out, `${HELLO}\n`)
  t.is((await holdfast(['add', '-q', '-'], 'hello\n')).out, `${HELLO}\n`)
  t.is((await holdfast(['cat'], `${HELLO}\n${root}/a.txt\n`)).out, 'hello\nhi\n', 'lines of standard input are arguments')

  t.is((await holdfast(['block', 'stat', HELLO, '--encoding', 'json'])).out, `{"Key":"${HELLO}","Size":14}\n`)
  t.is((await holdfast(['block', 'stat', HELLO, '--enc=xml'])).out, `<BlockStat><Key>${HELLO}</Key><Size>14</Size></BlockStat>`)

  const failed = await holdfast(['cat', 'nope'])
  t.deepEqual([failed.code, failed.out, failed.err], [1, '', 'Error: invalid path "nope": path does not have enough components\n'])
  t.is((await commandLine(['cat', HELLO], { cwd: folder, env: { HOLDFAST_API: daemon.url } })).out, 'hello\n')
  t.is((await commandLine(['--api', daemon.url, 'cat', HELLO], { cwd: folder })).out, 'hello\n')
  t.is(await daemon.stop(), 0)
})

test('without a node the repo is worked on here; an address that a dead node left does not matter', async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const daemon = await startDaemon(repo)
  await daemon.kill()
  const holdfast = (args: string[], stdin = '') => commandLine(['--repo', repo, ...args], { cwd: folder, stdin })
  t.is((await holdfast(['add', '-q'], 'hello\n')).out, `${HELLO}\n`)
  t.is((await holdfast(['cat', HELLO])).out, 'hello\n')
  t.is((await holdfast(['cat'], `${HELLO}\n`)).out, 'hello\n')
  t.is((await holdfast(['pin', 'ls', '-t', 'recursive', HELLO])).out, `${HELLO} recursive\n`)
  t.is((await holdfast(['block', 'stat', HELLO, '--encoding=json'])).out, `{"Key":"${HELLO}","Size":14}\n`)
  t.is((await holdfast(['block', 'stat', HELLO, '--encoding=xml'])).out, `<BlockStat><Key>${HELLO}</Key><Size>14</Size></BlockStat>`)
  const missing = await holdfast(['cat', '/ipfs/bafkqaaa/x'])
  t.is(missing.code, 1)
  t.regex(missing.err, /^Error: /)
})

test('a command that needs no repo works without one; another says how to make one', async t => {
  const folder = await temporaryFolder(t)
  const holdfast = (...args: string[]) => commandLine(['--repo', join(folder, 'none'), ...args], { cwd: folder })
  t.is((await holdfast('cid', 'base32', HELLO)).out, 'bafybeiffndsajwhk3lwjewwdxqntmjm4b5wxaaanokonsggenkbw6slwk4\n')
  const refused = await holdfast('pin', 'ls')
  t.is(refused.code, 1)
  t.regex(refused.err, /^Error: no IPFS repo found in .*none\.?\n.*holdfast init/)
})

test('an address where nobody listens is an error that says what to do', async t => {
  const { code, err } = await commandLine(['--api', '/ip4/127.0.0.1/tcp/1', 'version'])
  t.is(code, 1)
  t.regex(err, /^Error: cannot connect to the api at \/ip4\/127\.0\.0\.1\/tcp\/1: nobody listens there\n.*holdfast daemon/)
  const bad = await commandLine(['--api', 'nonsense', 'version'])
  t.is(bad.code, 1)
})

test('a command line that is not understood ends with 2 and names the help', async t => {
  const folder = await temporaryFolder(t)
  const holdfast = (...args: string[]) => commandLine(args, { cwd: folder })
  for (const [args, message] of [
    [['pin', 'add'], /argument "ipfs-path" is required\nSee: holdfast pin add --help\n$/],
    [['pin', 'update', 'a', 'b', 'c'], /too many arguments: 'c'/],
    [['pin', 'ls', '--quiet=maybe'], /could not convert value "maybe" to type "bool"/],
    [['pin', 'ls', '-q', '-q'], /have only a single value/],
    [['cat', '--timeout=abc', 'x'], /invalid duration "abc"/],
    [['cat', '--encoding=yaml', 'x'], /unknown encoding 'yaml'/],
    [['add', '.'], /is a directory, use the '-r' flag/],
    [['block', 'put', '.'], /argument 'data' does not support directories/]
  ] as const) {
    const { code, err } = await holdfast(...args)
    t.is(code, 2, args.join(' '))
    t.regex(err, message)
  }
})

test("a third party's command is found by the configuration, runs on its node, and is explained where only that knows it", async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const hello = await pluginIn(folder, new URL('../../../../examples/hello.js', import.meta.url))
  const config = join(folder, 'with.config.json')
  await writeFile(config, JSON.stringify({ plugins: { [hello]: 'on' } }))
  const daemon = await startDaemon(repo, [], ['--config', config])
  t.teardown(() => daemon.kill())
  const holdfast = (...args: string[]) => commandLine(['--repo', repo, ...args], { cwd: folder })
  t.is((await holdfast('--config', config, 'hello', 'you', '-l')).out, '{"Message":"HELLO, you!"}\n')
  t.regex((await holdfast('--config', config, '--help')).out, /Greets\.\n +hello\n/)
  const unknown = await holdfast('hello', 'you')
  t.is(unknown.code, 2)
  t.regex(unknown.err, /the running node has 'hello' from the plugin 'hello', .*--config FILE/)
  await daemon.stop()
  t.is((await holdfast('--config', config, 'hello', 'you')).out, '{"Message":"hello, you"}\n', 'and without a node')
  t.regex((await holdfast('hello', 'you')).err, /unknown command 'hello'/)
  await writeFile(config, JSON.stringify({ plugins: { contnt: 'on' } }))
  t.regex((await holdfast('--config', config, 'hello', 'you')).err, /there is no plugin 'contnt' — did you mean 'content'\?/)
})

test('help shows what --help does', async t => {
  const cwd = await temporaryFolder(t)
  const shown = async (...args: string[]) => (await commandLine(args, { cwd })).out
  t.is(await shown('help', 'pin', 'add'), await shown('pin', 'add', '--help'))
  t.is(await shown('help', 'pin'), await shown('pin', '-h'))
  t.is(await shown('help'), await shown())
  t.is((await commandLine(['help', 'pni'], { cwd })).code, 1)
})

test('a node that asks for a secret is given it, and without says how', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  await (await startDaemon(repo)).stop()
  const file = join(repo, 'config')
  const config = JSON.parse(await readFile(file, 'utf8'))
  config.API.Authorizations = { me: { AuthSecret: 'bearer:token', AllowedPaths: ['/api/v0'] } }
  await writeFile(file, JSON.stringify(config))
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  const refused = await commandLine(['--repo', repo, 'pin', 'ls', '-t', 'direct'])
  t.is(refused.code, 1)
  t.regex(refused.err, /^Error: Kubo RPC Access Denied.*\n.*--api-auth bearer:TOKEN/)
  t.is((await commandLine(['--repo', repo, '--api-auth', 'bearer:token', 'pin', 'ls', '-t', 'direct'])).code, 0)
})

test('a command that is switched off says which setting did it, on a node and without one', async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const config = join(folder, 'holdfast.config.json')
  await writeFile(config, JSON.stringify({ commands: { 'pin/ls': 'off' }, plugins: { cid: 'off' } }))
  const daemon = await startDaemon(repo, [], ['--config', config])
  t.teardown(() => daemon.kill())
  const holdfast = (...args: string[]) => commandLine(['--repo', repo, '--config', config, ...args], { cwd: folder })
  const refusals = async () => {
    for (const [args, setting] of [
      [['pin', 'ls'], /commands: \{ "pin\/ls": off \} in .*holdfast\.config\.json/],
      [['cid', 'bases'], /plugins: \{ cid: off \} in .*holdfast\.config\.json/]
    ] as const) {
      const { code, out, err } = await holdfast(...args)
      t.deepEqual([code, out], [1, ''])
      t.regex(err, setting)
    }
  }
  await refusals()
  t.regex((await holdfast('--help')).out, /Looks at CIDs.*\(off: plugins: \{ cid: off \}/)
  await daemon.stop()
  await refusals()
})

test('a repo that a node without an RPC address holds is refused with who holds it', async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  await rm(join(repo, 'api'))
  const { code, err } = await commandLine(['--repo', repo, 'pin', 'ls'], { cwd: folder })
  t.is(code, 1)
  t.regex(err, new RegExp(`^Error: .*process ${daemon.process.pid} works on this repo\\n.*stop it`))
})

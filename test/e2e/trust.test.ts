import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { listener, type Person, person } from './person.ts'

const modes = process.platform === 'win32' ? test.skip : test

const MARKS = "(await import('node:fs')).writeFileSync(MARK, '')"
const PLUGIN = `/* api: '^1' */ ${MARKS}
const command = { path: 'greet', status: 'regular', access: 'read', help: 'Greets.', args: {}, options: {}, needs: {}, examples: [],
  reply: { kind: 'nothing' }, local: true, async run() {} }
export default { name: 'mine', api: '^1', about: 'Mine.', commands: [command], provides: [] }
`

const WAYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'holdfast.config.js': { 'holdfast.config.js': `${MARKS}; export default {}` },
  '.holdfastrc.mjs': { '.holdfastrc.mjs': `${MARKS}; export default {}` },
  'a plugin of a holdfast key in package.json': {
    'package.json': '{ "type": "module", "holdfast": { "plugins": { "./p.mjs": "on" } } }',
    'p.mjs': PLUGIN
  },
  'a plugin of holdfast.config.yaml': { 'holdfast.config.yaml': 'plugins: { ./p.mjs: on }\n', 'p.mjs': PLUGIN },
  'a package of .holdfastrc': {
    '.holdfastrc': 'plugins: { evil: on }\n',
    'node_modules/holdfast-plugin-evil/package.json': '{ "main": "./i.mjs", "holdfast": { "api": "^1" } }',
    'node_modules/holdfast-plugin-evil/i.mjs': PLUGIN
  }
}

const QUIET: ReadonlyArray<readonly string[]> = [['id'], ['help'], ['__complete', '--', 'gre']]
const ALL: ReadonlyArray<readonly string[]> = [
  ...QUIET,
  ['version'],
  ['--help'],
  ['pin', '--help'],
  ['plugins'],
  ['doctor'],
  ['completion', 'bash'],
  ['__complete', '--split', '--', 'pin', 'rm', ''],
  ['trust', '--list'],
  ['greet']
]

for (const [i, [what, files]] of Object.entries(WAYS).entries()) {
  test(`no command, help or completion runs ${what} in a folder that the user does not trust`, async t => {
    const { holdfast, write, ran } = await person(t)
    await write(files)
    for (const args of i === 0 ? ALL : QUIET) {
      await holdfast(...args)
      t.false(await ran(), args.join(' '))
    }
    const { code, err } = await holdfast('trust')
    t.is(code, 0, err)
    await holdfast('version')
    t.true(await ran(), 'what would have run')
  })
}

test('nothing else of the working directory is run, whichever configuration counts', async t => {
  const { home, holdfast, write, ran } = await person(t)
  const marks = "require('node:fs').writeFileSync(MARK, '')"
  await write({
    '.config/config.cjs': `${marks}; module.exports = {}`,
    '.config/holdfastrc.cjs': marks,
    'cosmiconfig.config.cjs': marks,
    'holdfast.config.yaml': 'plugins: {}\n'
  })
  await writeFile(join(home, 'my.yaml'), 'plugins: { cid: off }\n')
  t.regex((await holdfast('--config', join(home, 'my.yaml'), 'help')).out, /off: plugins: \{ cid: off \}/)
  t.false(await ran())
  await holdfast('trust')
  t.is((await holdfast('version')).code, 0)
  t.false(await ran())
})

test('a folder counts as trusted once init was run there, said in a line, and its commands are found from then on', async t => {
  const { folder, holdfast, write } = await person(t)
  await write({ 'holdfast.config.yaml': 'repo: ./data\nplugins: { ./p.mjs: on }\n', 'p.mjs': PLUGIN })
  const before = await holdfast('greet')
  t.is(before.code, 2)
  t.regex(
    before.err,
    /^Not loaded: holdfast\.config\.yaml in .*folder, which is no trusted folder.*holdfast trust\nError: unknown command 'greet'/
  )
  const made = await holdfast('init')
  t.is(made.code, 0, made.err)
  t.is(made.err.split('\n').filter(line => line.includes('is a trusted folder from now on')).length, 1, made.err)
  t.is(made.out.includes(`at ${join(folder, 'data')}`), true, made.out)
  t.is((await holdfast('greet')).code, 0)
  t.regex((await holdfast('--help')).out, /Mine\.\n +greet/)
  t.deepEqual((await holdfast('__complete', '--', 'gre')).out, 'greet\t\n')
  t.is((await holdfast('trust', '--list')).out, `${folder}\n`)
  t.is((await holdfast('trust', '--remove')).code, 0)
  t.is((await holdfast('greet')).code, 2)
  t.is((await holdfast('trust', '--list')).out, '')
})

test('a daemon trusts its folder too, and one whose configuration was named does not', async t => {
  const { folder, home, holdfast, write, ran } = await person(t)
  await write({ 'holdfast.config.js': `${MARKS}; export default {}` })
  await writeFile(join(home, 'my.yaml'), '')
  // there is no repo, so it ends at once
  const repo = ['--repo', join(home, 'none')]
  await holdfast('--config', join(home, 'my.yaml'), ...repo, 'daemon')
  t.is((await holdfast('trust', '--list')).out, '')
  t.false(await ran())
  const first = await holdfast(...repo, 'daemon')
  t.regex(first.out, /is a trusted folder from now on/)
  t.true(await ran())
  t.is((await holdfast('trust', '--list')).out, `${folder}\n`)
  t.notRegex((await holdfast(...repo, 'daemon')).out, /trusted/)
})

test("the user's own configuration counts where the folder is not trusted, and HOLDFAST_CONFIG and --config go before both", async t => {
  const { home, folder, holdfast, with: withEnv, write } = await person(t)
  const off = async (run: Person['holdfast'], ...args: string[]) =>
    (JSON.parse((await run(...args, 'plugins', '--json')).out) as Array<{ name: string; state: string }>)
      .filter(({ state }) => state === 'off')
      .map(({ name }) => name)
      .filter(name => ['blocks', 'cid', 'diagnostics', 'object'].includes(name))
  await mkdir(join(home, '.config', 'holdfast'), { recursive: true })
  await writeFile(join(home, '.config', 'holdfast', 'holdfast.config.yaml'), 'plugins: { cid: off }\n')
  await write({ 'holdfast.config.json': '{ "plugins": { "object": "off" } }' })
  await writeFile(join(home, 'env.yaml'), 'plugins: { diagnostics: off }\n')
  await writeFile(join(home, 'named.yaml'), 'plugins: { blocks: off, object: off, dag: off, pins: off, repo: off }\n')
  t.deepEqual(await off(holdfast), ['cid'])
  await holdfast('trust', folder)
  t.deepEqual(await off(holdfast), ['object'])
  const env = withEnv({ HOLDFAST_CONFIG: join(home, 'env.yaml') })
  t.deepEqual(await off(env), ['diagnostics'])
  t.deepEqual(await off(withEnv({ HOLDFAST_CONFIG: '../home/env.yaml' })), ['diagnostics'], 'from the working directory, as --config')
  await writeFile(join(home, 'named.yaml'), 'plugins: { cid: on }\n')
  t.deepEqual(await off(env, '--config', join(home, 'named.yaml')), [])
  t.regex((await withEnv({ XDG_CONFIG_HOME: '.' })('plugins')).out, /No node/, 'a relative one does not count')
})

test('what is remembered is the folder, not its name', async t => {
  const { folder, holdfast, write, ran } = await person(t)
  await holdfast('trust')
  await rm(folder, { recursive: true })
  await mkdir(folder)
  await write({ 'holdfast.config.js': `${MARKS}; export default {}` })
  await holdfast('id')
  t.false(await ran(), 'another folder of that name')
  t.regex((await holdfast('trust', '--list')).out, /another folder/)
  await holdfast('trust')
  await holdfast('id')
  t.true(await ran())
})

modes('what is remembered is open to nobody else, and does not count where others can write it', async t => {
  const { home, holdfast, write, ran } = await person(t)
  await write({ 'holdfast.config.js': `${MARKS}; export default {}` })
  await holdfast('trust')
  const state = join(
    home,
    ...(process.platform === 'darwin' ? ['Library', 'Application Support'] : ['.local', 'state']),
    'holdfast',
    'trusted'
  )
  const [record] = await readdir(state)
  t.is((await stat(state)).mode & 0o777, 0o700)
  t.is((await stat(join(state, record!))).mode & 0o777, 0o600)
  for (const at of [state, join(state, record!)]) {
    const { mode } = await stat(at)
    await chmod(at, mode | 0o022)
    const { code, err } = await holdfast('version')
    t.is(code, 1)
    t.regex(err, /others can write/)
    t.false(await ran())
    await chmod(at, mode)
  }
  t.is((await holdfast('version')).code, 0)
  t.true(await ran())
})

modes('nothing is loaded from a trusted folder that others can write, and the error says what to do', async t => {
  const { folder, holdfast, write, ran } = await person(t)
  await write({ 'holdfast.config.mjs': `${MARKS}; export default { plugins: { './p.mjs': 'on' } }`, 'p.mjs': PLUGIN })
  await holdfast('trust')
  for (const at of [folder, join(folder, 'holdfast.config.mjs')]) {
    await chmod(at, 0o777)
    const { code, err } = await holdfast('version')
    t.is(code, 1)
    t.regex(err, /\(mode 0777\)\. Where you trust what is in it, keep them out: chmod g?o-w '/)
    t.true(err.includes(`-w '${at}'\n`), err)
    t.false(await ran())
    await chmod(at, 0o755)
  }
  await chmod(join(folder, 'p.mjs'), 0o666)
  await holdfast('version')
  const { err } = await holdfast('greet')
  t.regex(err, /plugin '\.\/p\.mjs' is not loaded: .*p\.mjs is not used: others can write it \(mode 0666\)/)
  await chmod(join(folder, 'p.mjs'), 0o644)
  t.is((await holdfast('greet')).code, 0)
})

test("a stranger's configuration and api file send no secret and no file anywhere", async t => {
  const { folder, holdfast, with: withEnv, write } = await person(t)
  const { port, seen } = await listener(t)
  await write({ 'holdfast.config.yaml': 'repo: ./.r\n', '.r/api': `/ip4/127.0.0.1/tcp/${port}`, 'file.txt': 'mine' })
  await holdfast('--api-auth', 'bearer:secret', 'id')
  await holdfast('--api-auth', 'bearer:secret', 'add', 'file.txt')
  await holdfast('__complete', '--', 'pin', 'rm', '')
  await holdfast('doctor')
  await withEnv({ HOLDFAST_API_AUTH: 'bearer:secret' })('greet')
  t.deepEqual(seen, [])
  // a node of the user's own is found there once the folder is trusted
  await holdfast('trust')
  await holdfast('--api-auth', 'bearer:secret', 'id')
  t.is(seen.length, 1)
  t.regex(seen[0]!, /^POST \/api\/v0\/id\?.* Bearer secret$/)
  for (const address of [
    '/ip4/192.0.2.1/tcp/5001',
    '/dns4/node.example/tcp/5001',
    '/dns4/localhost.example/tcp/80',
    'http://192.0.2.1',
    'x'
  ]) {
    await writeFile(join(folder, '.r', 'api'), address)
    for (const args of [['id'], ['add', 'file.txt'], ['repo', 'stat']]) {
      const { code, err } = await holdfast('--api-auth', 'bearer:secret', ...args)
      t.is(code, 1)
      t.true(err.includes(`${join(folder, '.r', 'api')} is not used: it names "${address}"`), err)
      t.true(err.includes('--api ADDRESS'))
      t.false(err.includes('secret'))
    }
    t.is((await holdfast('__complete', '--', 'pin', 'rm', '')).err, '')
  }
  t.is(seen.length, 1)
  t.is(await readFile(join(folder, 'file.txt'), 'utf8'), 'mine')
})

test('get stores no configuration in a trusted folder unless told, and what it stores elsewhere is not run', async t => {
  const { home, folder, holdfast, write, ran } = await person(t)
  const repo = ['--repo', join(home, 'repo')]
  await writeFile(join(home, 'my.yaml'), '')
  await holdfast('--config', join(home, 'my.yaml'), ...repo, 'init')
  await write({ 'evil/holdfast.config.js': `${MARKS}; export default {}`, 'evil/readme.txt': 'x' })
  const root = (await holdfast(...repo, 'add', '-rQ', 'evil')).out.trim()
  await rm(join(folder, 'evil'), { recursive: true })

  t.is((await holdfast(...repo, 'get', '-o', '.', root)).code, 0, 'a folder that is not trusted')
  t.deepEqual((await readdir(folder)).sort(), ['holdfast.config.js', 'readme.txt'])
  for (const args of QUIET) await holdfast(...args)
  t.false(await ran())

  for (const name of await readdir(folder)) await rm(join(folder, name))
  await holdfast('trust')
  const refused = await holdfast(...repo, 'get', '-o', '.', root)
  t.is(refused.code, 1)
  t.true(refused.err.includes(`refusing to store '${join(folder, 'holdfast.config.js')}'`), refused.err)
  t.regex(refused.err, /--allow-config/)
  t.deepEqual(await readdir(folder), [])
  t.is((await holdfast(...repo, 'get', `${root}/holdfast.config.js`)).code, 1)
  t.is((await holdfast(...repo, 'get', '-o', 'package.json', `${root}/readme.txt`)).code, 1, 'under a name that was asked for')
  t.deepEqual(await readdir(folder), [])
  t.is((await holdfast(...repo, 'get', '-o', 'site', root)).code, 0, 'a folder below')
  t.is((await holdfast(...repo, 'get', '--allow-config', '-o', '.', root)).code, 0)
  t.deepEqual((await readdir(folder)).sort(), ['holdfast.config.js', 'readme.txt', 'site'])
})

modes('compiled code is kept where nobody else can put any, and none is taken from elsewhere', async t => {
  const { home, folder, with: withEnv } = await person(t)
  const shared = join(folder, 'node-compile-cache')
  // as a stranger makes it in a folder for temporary files
  await mkdir(shared)
  await chmod(shared, 0o777)
  const run = withEnv({ TMPDIR: folder, TMP: folder, TEMP: folder, XDG_CACHE_HOME: join(home, 'cache') })
  const cache = join(home, 'cache', 'holdfast', 'compiled')
  t.is((await run('cid', 'bases')).code, 0)
  t.deepEqual(await readdir(shared), [])
  t.true((await readdir(cache)).length > 0)
  t.is((await stat(cache)).mode & 0o777, 0o700)
  await rm(cache, { recursive: true })
  await mkdir(cache)
  await chmod(cache, 0o777)
  t.is((await run('cid', 'bases')).code, 0)
  t.deepEqual([await readdir(shared), await readdir(cache)], [[], []], 'what others can write is not used')
  const elsewhere = join(home, 'elsewhere')
  t.is((await withEnv({ TMPDIR: folder, NODE_COMPILE_CACHE: elsewhere })('cid', 'bases')).code, 0)
  t.true((await readdir(elsewhere)).length > 0, 'the folder that the user named')
})

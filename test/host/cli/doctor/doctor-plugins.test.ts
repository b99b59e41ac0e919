/** What the host refuses, `doctor` and `plugin check` say in the same words, and leave nothing behind. */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Finding } from '../../../../host/cli/doctor/finding.ts'
import type { HostConfiguration } from '../../../../host/configuration.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { launchDaemon } from '../../../helpers/process/daemon.ts'

const IMPORTS =
  "import { Blockstore, inner, listener, listenerSettings, plugin, service, settings, token } from 'holdfast'\nimport { z } from 'zod'\n"

const PLUGINS = {
  bomb: "throw new Error('too soon') // api: '^1'",
  circle: `const [A, B] = [token('test-a'), token('test-b')]
export default plugin({ name: 'circle', api: '^1', about: 'C.', provides: [
  service(A, { needs: { b: B }, make: () => ({}) }), service(B, { needs: { a: A }, make: () => ({}) })
] })`,
  sealed: `export default plugin({ name: 'sealed', api: '^1', about: 'S.', settings: z.strictObject({ key: z.string().default('') }), provides: [
  service(Blockstore, {
    needs: { store: inner(Blockstore) },
    keeps: ({ key }) => { if (key === '') throw new Error('no key'); return { layout: { type: 'sealed', key } } },
    make: ({ store }) => store
  })
] })`,
  listening: `const schema = z.strictObject(listenerSettings(PORT))
const at = { needs: { place: settings() }, at: ({ place }) => place }
export default plugin({ name: 'listening', api: '^1', about: 'L.', settings: schema, listeners: [listener({ name: 'greetings', help: 'G.', ...at })] })`
} as const

type Name = keyof typeof PLUGINS

async function space(t: ExecutionContext, port = 0) {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const root = new URL('../../../../../', import.meta.url)
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules', 'holdfast'))
  await symlink(new URL('node_modules/zod', root), join(folder, 'node_modules', 'zod'))
  for (const [name, text] of Object.entries(PLUGINS))
    await writeFile(join(folder, `${name}.mjs`), IMPORTS + text.replace('PORT', String(port)))
  const holdfast = (...args: string[]) =>
    commandLine(['--repo', repo, '--config', join(folder, 'holdfast.config.json'), ...args], { cwd: folder })
  const configure = (configuration: HostConfiguration) =>
    writeFile(join(folder, 'holdfast.config.json'), JSON.stringify({ ...configuration, rpc: { address: '/ip4/127.0.0.1/tcp/0' } }))
  /** What of it the doctor calls wrong, or a warning. */
  const doctor = async () => {
    const { code, out } = await holdfast('doctor', '--json')
    const found = (JSON.parse(out) as Finding[]).filter(({ check, state }) => state !== 'ok' && check !== 'space' && check !== 'repo')
    return { code, found: found.map(({ check, state, about }) => ({ check, state, about })) }
  }
  const check = async (name: Name) => (await holdfast('plugin', 'check', join(folder, `${name}.mjs`))).out
  const init = async () => {
    const { code, err } = await holdfast('init')
    return code === 0 ? undefined : err.split('\n')[0]!.replace(/^Error: /, '')
  }
  return { folder, repo, holdfast, configure, doctor, check, init }
}

const on = (...names: Name[]) => Object.fromEntries(names.map(name => [`./${name}.mjs`, 'on' as const]))

test('services of a plugin that need each other in a circle', async t => {
  const { folder, configure, doctor, check, init } = await space(t)
  await configure({ plugins: on('circle') })
  const said =
    "services of plugin 'circle' need each other in a circle: test-a → test-b → test-a: have one of them get what it needs of the other later"
  t.is(await init(), said)
  t.deepEqual((await doctor()).found, [{ check: 'plugins', state: 'wrong', about: said }])
  t.is(await check('circle'), `a host refuses it: ${said}: mend that\n`)
  t.false((await readdir(folder)).includes('repo'))
})

test('an import that fails behind a line of services', async t => {
  const { folder, configure, doctor, init } = await space(t)
  await configure({
    plugins: on('bomb'),
    services: { blockstore: ['./bomb.mjs', 'storage-rocksdb'] },
    commands: { 'pin/lss': 'off' },
    onFailure: { './bomb.mjs': 'continue' }
  })
  const said = (await init())!
  t.regex(
    said,
    /^the service 'blockstore', which .* need, is provided by nobody: services\.blockstore in .* names '\.\/bomb\.mjs', which failed: .*too soon/
  )
  const found = (await doctor()).found.map(({ about }) => about)
  t.is(found[0], said)
  t.regex(found[1]!, /^plugin '\.\/bomb\.mjs' .* failed while it was imported: too soon/)
  t.false((await readdir(folder)).includes('repo'))
})

test('a plugin that the host goes on without is a warning, and so is a line that may be misspelt', async t => {
  const { configure, doctor, init } = await space(t)
  await configure({ plugins: on('bomb'), commands: { 'pin/lss': 'off' }, onFailure: 'continue' })
  t.is(await init(), undefined)
  const { code, found } = await doctor()
  t.is(code, 0)
  t.deepEqual(
    found.map(({ check, state }) => [check, state]),
    [
      ['plugins', 'warning'],
      ['plugins', 'warning']
    ]
  )
  t.regex(found[0]!.about, /too soon/)
  t.regex(found[1]!.about, /no command matches 'pin\/lss' — did you mean 'pin\/ls'\?, unless '\.\/bomb\.mjs', which failed, declares it$/)
})

test("a plugin's listener whose port is taken", async t => {
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  const { folder, repo, configure, doctor, check, init } = await space(t, port)
  await configure({ plugins: on('listening') })
  t.is(await init(), undefined)
  const said = `plugin 'listening': its listener 'greetings' does not open: cannot listen on /ip4/127.0.0.1/tcp/${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}`
  const daemon = launchDaemon(repo, { globalArgs: ['--config', join(folder, 'holdfast.config.json')] })
  t.true((await t.throwsAsync(daemon.ready)).message.includes(`Error: ${said}\n`))
  t.deepEqual(await doctor(), { code: 1, found: [{ check: 'ports', state: 'wrong', about: said }] })
  t.is(await check('listening'), `a host refuses it here: ${said}: stop what listens there, or give the plugin another port\n`)
  await configure({ plugins: on('listening'), onFailure: 'continue' })
  t.deepEqual(await doctor(), { code: 0, found: [{ check: 'ports', state: 'warning', about: said }] })
  await configure({ plugins: { './listening.mjs': { port: 0 } } })
  t.deepEqual(await doctor(), { code: 0, found: [] })
})

test('content that was written otherwise, and a plugin that cannot say how it stores', async t => {
  const { repo, configure, doctor, init, holdfast } = await space(t)
  await configure({})
  t.is(await init(), undefined)
  t.is((await holdfast('add', join(repo, 'version'))).code, 0)
  const before = await Promise.all([readdir(repo), readFile(join(repo, 'layouts'), 'utf8')])
  const wrapped = { blockstore: ['sealed', 'storage-rocksdb'] }
  await configure({ plugins: { './sealed.mjs': { key: 'a' } }, services: wrapped })
  const said = `the blockstore in ${repo} was written by 'storage-rocksdb', and 'sealed' over 'storage-rocksdb' would not see its content. Name who wrote it: "services": { "blockstore": "storage-rocksdb" }, or export what you need from there (holdfast dag export) and import it into a repo of its own: --repo FOLDER`
  t.deepEqual(await doctor(), { code: 1, found: [{ check: 'plugins', state: 'wrong', about: said }] })
  t.is((await holdfast('pin', 'ls')).err, `Error: plugin 'repo' (built-in) failed to start: ${said}\n`)
  await configure({ plugins: on('sealed'), services: wrapped })
  const failed = /^plugin 'sealed' \(.*sealed\.mjs\) failed to start: no key$/
  t.regex((await doctor()).found[0]!.about, failed)
  t.regex((await holdfast('pin', 'ls')).err, /^Error: plugin 'sealed' \(.*sealed\.mjs\) failed to start: no key\n/)
  t.deepEqual(await Promise.all([readdir(repo), readFile(join(repo, 'layouts'), 'utf8')]), before)
})

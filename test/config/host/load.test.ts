import { execFileSync } from 'node:child_process'
import { chmod, chown, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { configurationAt, configurationIn, placesIn } from '../../../config/host/load.ts'
import { chooseConfiguration } from '../../../host/cli/configuration/choose.ts'
import type { HostConfiguration } from '../../../host/configuration.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

async function folderWith(t: ExecutionContext, files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder(t)
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

/** Where nothing but a folder says which configuration counts. */
const around = (cwd: string) => ({ file: undefined, cwd, env: { XDG_CONFIG_HOME: join(cwd, 'none'), XDG_STATE_HOME: join(cwd, 'none') } })

async function refusal(t: ExecutionContext, name: string, text: string): Promise<{ code: string; lines: string[] }> {
  const cwd = await folderWith(t, { [name]: text })
  const error = (await t.throwsAsync(configurationIn(cwd))) as Error & { code: string }
  return { code: error.code, lines: error.message.replaceAll(`${cwd}/`, '').split('\n') }
}

const JSON_TEXT = '{ "repo": "./data", "plugins": { "pins": false } }'
const YAML_TEXT = 'repo: ./data\nplugins:\n  pins: off\n'

const FORMS: Record<string, string> = {
  'holdfast.config.yaml': YAML_TEXT,
  'holdfast.config.yml': YAML_TEXT,
  'holdfast.config.json': JSON_TEXT,
  'holdfast.config.js': `export default ${JSON_TEXT}`,
  'holdfast.config.mjs': `export default Promise.resolve(${JSON_TEXT})`,
  'holdfast.config.cjs': `module.exports = ${JSON_TEXT}`,
  'holdfast.config.ts': `interface Own { repo: string; plugins: object }\nexport default ${JSON_TEXT} satisfies Own`,
  'holdfast.config.mts': `const own: object = ${JSON_TEXT}\nexport default own`,
  '.holdfastrc': YAML_TEXT,
  '.holdfastrc.json': JSON_TEXT,
  '.holdfastrc.yaml': YAML_TEXT,
  '.holdfastrc.ts': `export default ${JSON_TEXT} as object`,
  'package.json': `{ "name": "x", "holdfast": ${JSON_TEXT} }`
}

for (const [name, text] of Object.entries(FORMS)) {
  test(`a configuration is found in ${name}`, async t => {
    const cwd = await folderWith(t, { [name]: text })
    const loaded = await configurationIn(cwd)
    t.deepEqual(loaded, { configuration: { repo: './data', plugins: { pins: false } }, file: join(cwd, name), folder: cwd })
  })
}

test('without a configuration file everything is at its default', async t => {
  const cwd = await folderWith(t, { 'package.json': '{ "name": "x" }' })
  t.is(await configurationIn(cwd), undefined)
  t.deepEqual((await chooseConfiguration(around(cwd))).loaded, { configuration: {}, file: undefined, folder: cwd })
})

test('an empty file says nothing', async t => {
  const cwd = await folderWith(t, { 'holdfast.config.yaml': '' })
  t.is(await configurationIn(cwd), undefined)
})

test('the configuration of a folder further up is left alone', async t => {
  const folder = await folderWith(t, { 'holdfast.config.yaml': YAML_TEXT })
  await mkdir(join(folder, 'below'))
  t.is(await configurationIn(join(folder, 'below')), undefined)
})

test('a named file goes before what lies in the folder, and its folder is the base', async t => {
  const cwd = await folderWith(t, { 'holdfast.config.yaml': YAML_TEXT })
  await mkdir(join(cwd, 'other'))
  await writeFile(join(cwd, 'other', 'mine.json'), '{ "repo": "x" }')
  const { loaded } = await chooseConfiguration({ ...around(cwd), file: 'other/mine.json', trusted: true })
  t.deepEqual(loaded, { configuration: { repo: 'x' }, file: join(cwd, 'other', 'mine.json'), folder: join(cwd, 'other') })
})

test('a named file that is not there, or of no known form, is an error', async t => {
  const cwd = await folderWith(t, { 'mine.toml': '' })
  const absent = await t.throwsAsync(configurationAt(join(cwd, 'none.yaml')))
  t.is(absent?.message, `there is no configuration file ${join(cwd, 'none.yaml')}`)
  await t.throwsAsync(configurationAt(join(cwd, 'mine.toml')), { code: 'E_HOST_CONFIG_FORM' })
})

test("YAML's words for switches are switches", async t => {
  const text =
    'plugins: { a: on, b: off, c: yes, d: No, e: true, f: "on", g: { mode: on } }\ncommands: { "object/**": off, "pin/add": { from: ./audit.ts } }\n'
  const cwd = await folderWith(t, { 'holdfast.config.yaml': text })
  const { configuration } = (await configurationIn(cwd))!
  t.deepEqual(configuration.plugins, { a: true, b: false, c: true, d: false, e: true, f: true, g: { mode: 'on' } })
  t.deepEqual(configuration.commands, { 'object/**': false, 'pin/add': { from: './audit.ts' } })
})

test('a whole configuration is what a host takes', async t => {
  const text = `
onFailure: { default: continue, pins: abort }
services: { blockstore: storage-memory }
rpc: { address: /ip4/127.0.0.1/tcp/0, allowedHosts: [node.example], limits: { parts: 10 } }
gateway: { anything: 1 }
`
  const cwd = await folderWith(t, { 'holdfast.config.yaml': text })
  const configuration: HostConfiguration = (await configurationIn(cwd))!.configuration
  t.deepEqual(configuration.onFailure, { default: 'continue', pins: 'abort' })
  t.like(configuration.rpc, {
    address: '/ip4/127.0.0.1/tcp/0',
    lateFailure: 'break',
    checkReplies: false,
    limits: { parts: 10, headerBytes: 16384 }
  })
})

test('a problem names the file, the key, the value and what is allowed', async t => {
  const { code, lines } = await refusal(
    t,
    'holdfast.config.yaml',
    'repo: 5\nplugins: { pins: maybe, mfs: }\ncommands: { add: [] }\nonFailure: explode\nservices: { blockstore: [], dag: [""], pins: "" }\nrpc: { lateFailure: never, limits: { parts: 0 }, address: localhost:5001 }\n'
  )
  t.is(code, 'E_HOST_CONFIG_INVALID')
  t.deepEqual(lines, [
    'holdfast.config.yaml: repo is 5; allowed: a path',
    'holdfast.config.yaml: plugins.pins is "maybe"; allowed: on, off, or a block of settings',
    'holdfast.config.yaml: plugins.mfs is null; allowed: on, off, or a block of settings',
    'holdfast.config.yaml: commands.add is []; allowed: on, off, or { from: PLUGIN }',
    'holdfast.config.yaml: services.blockstore is []; allowed: the name of a plugin, or a list of names, the outermost first',
    'holdfast.config.yaml: services.dag.0 is ""; allowed: the name of a plugin, or a list of names, the outermost first',
    'holdfast.config.yaml: services.pins is ""; allowed: the name of a plugin, or a list of names, the outermost first',
    'holdfast.config.yaml: onFailure is "explode"; allowed: abort, continue, or one of them for each plugin and for default',
    'holdfast.config.yaml: rpc.address is "localhost:5001"; allowed: a multiaddr, e.g. /ip4/127.0.0.1/tcp/5001',
    'holdfast.config.yaml: rpc.lateFailure is "never"; allowed: break or finish',
    'holdfast.config.yaml: rpc.limits.parts is 0; allowed: a whole number, 1 or more'
  ])
})

test('a key that does not exist is answered with the one that may be meant, wherever it stands', async t => {
  const { lines } = await refusal(t, 'holdfast.config.json', '{ "plugin": {}, "x": 1, "rpc": { "adress": "/a", "limits": { "part": 1 } } }')
  t.deepEqual(lines, [
    "holdfast.config.json: rpc.limits.part: there is no such key — did you mean 'parts'?",
    "holdfast.config.json: rpc.adress: there is no such key — did you mean 'address'?",
    "holdfast.config.json: plugin: there is no such key — did you mean 'plugins'?",
    'holdfast.config.json: x: there is no such key; known: repo, plugins, commands, services, onFailure, calls, rpc, gateway'
  ])
})

for (const [name, text, place] of [
  ['holdfast.config.yaml', 'repo: [1\nplugins: {}\n', /holdfast\.config\.yaml/],
  ['holdfast.config.json', '{ "repo": }', /holdfast\.config\.json/],
  ['holdfast.config.ts', 'export default { repo: }', /holdfast\.config\.ts/],
  ['holdfast.config.mjs', 'export const repo = 1', /has no default export/],
  ['holdfast.config.js', 'throw new Error("from inside")', /from inside/]
] as const) {
  test(`a broken ${name} is named, with what is wrong: ${text.slice(0, 20).trim()}`, async t => {
    const { code, lines } = await refusal(t, name, text)
    t.is(code, 'E_HOST_CONFIG_UNREADABLE')
    t.regex(lines.join('\n'), place)
    t.true(lines[0]!.startsWith(`the configuration ${name} cannot be read: `), lines[0])
  })
}

test('a configuration that is no block of settings is refused', async t => {
  const { lines } = await refusal(t, 'holdfast.config.yaml', '- a\n- b\n')
  t.deepEqual(lines, ['holdfast.config.yaml: the whole file is ["a","b"]; allowed: a block of settings'])
})

const modes = process.platform === 'win32' ? test.skip : test
const asRoot = process.geteuid?.() === 0 ? test : test.skip
if (process.geteuid?.() !== 0) console.log('left out, files of other users: only root can make some')

for (const [name, text] of Object.entries({ ...FORMS, 'holdfast.config.js': 'throw new Error("was run")' })) {
  modes(`a ${name} that others can write is refused before it is read`, async t => {
    const cwd = await folderWith(t, { [name]: text })
    const file = join(cwd, name)
    await chmod(file, 0o646)
    await t.throwsAsync(configurationIn(cwd), { code: 'E_FILE_SHARED', message: /mode 0646.*chmod o-w/ })
    if (name !== 'package.json') await t.throwsAsync(configurationAt(join(cwd, name)), { code: 'E_FILE_SHARED' })
    await chmod(file, 0o644)
    await chmod(cwd, 0o1777)
    await t.throwsAsync(configurationIn(cwd), { code: 'E_FILE_SHARED' })
    if (name !== 'package.json') await t.throwsAsync(configurationAt(join(cwd, name)), { code: 'E_FILE_SHARED' })
  })
}

asRoot("another user's is refused, and so is one behind a symlink", async t => {
  const cwd = await folderWith(t, { 'holdfast.config.mjs': 'throw new Error("was run")' })
  await chown(join(cwd, 'holdfast.config.mjs'), 65534, 65534)
  await t.throwsAsync(configurationIn(cwd), { code: 'E_FILE_OWNER', message: /belongs to user 65534/ })
  const other = await folderWith(t, {})
  await symlink(join(cwd, 'holdfast.config.mjs'), join(other, 'holdfast.config.mjs'))
  await t.throwsAsync(configurationIn(other), { code: 'E_FILE_OWNER' })
})

modes('a package.json that has no configuration may belong to whoever it likes', async t => {
  const cwd = await folderWith(t, { 'package.json': '{ "name": "x", "dependencies": { "holdfast": "^1" } }' })
  await chmod(join(cwd, 'package.json'), 0o666)
  t.is(await configurationIn(cwd), undefined)
})

modes('what is no file is refused by its name, but for a package.json of anybody, and a pipe keeps nobody waiting', async t => {
  const cwd = await folderWith(t, { '.holdfastrc': YAML_TEXT })
  execFileSync('mkfifo', [join(cwd, 'package.json')])
  t.is((await configurationIn(cwd))!.file, join(cwd, '.holdfastrc'))
  const file = join(cwd, 'holdfast.config.yaml')
  const making: Array<[() => unknown, RegExp]> = [
    [() => execFileSync('mkfifo', [file]), /holdfast\.config\.yaml/],
    [() => mkdir(file), /holdfast\.config\.yaml/],
    [() => symlink('nowhere', file), /the configuration .*holdfast\.config\.yaml cannot be read: it is a symlink that leads nowhere/]
  ]
  for (const [make, message] of making) {
    await make()
    await t.throwsAsync(configurationIn(cwd), { message })
    await rm(file, { recursive: true })
  }
  t.is((await configurationIn(cwd))!.file, join(cwd, '.holdfastrc'))
})

test('bytes that are no UTF-8 are refused by the name of the file', async t => {
  for (const name of ['holdfast.config.yaml', 'holdfast.config.json', '.holdfastrc', 'holdfast.config.mjs']) {
    const cwd = await folderWith(t, {})
    await writeFile(join(cwd, name), Buffer.concat([Buffer.from('repo: "/tmp/'), Buffer.from([0xe4]), Buffer.from('"\n')]))
    await t.throwsAsync(configurationIn(cwd), { code: 'E_HOST_CONFIG_UNREADABLE', message: new RegExp(`${name} .*no UTF-8`) })
  }
})

test('an empty file leaves the next one its say, and names alone are read of a folder that is only looked at', async t => {
  const cwd = await folderWith(t, { 'holdfast.config.js': '', 'holdfast.config.yaml': '\n', '.holdfastrc.json': JSON_TEXT, other: '' })
  const names = await placesIn(cwd)
  t.deepEqual(names, ['holdfast.config.yaml', 'holdfast.config.js', '.holdfastrc.json'])
  t.is((await configurationIn(cwd, names))?.file, join(cwd, '.holdfastrc.json'))
  t.deepEqual(await placesIn(join(cwd, 'none')), [])
})

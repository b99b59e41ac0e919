import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { configurationAt, configurationIn, MOST_BYTES } from '../../config/host/load.ts'
import { nodeConfigModel } from '../../config/node/index.ts'
import { temporaryFolder } from '../helpers/folder.ts'

const LETTERS = 'abcdefghi'

/** Aliases of aliases: a kilobyte of YAML that stands for 9^9 words. */
const laughs = [...LETTERS]
  .map((letter, i) => `${letter}: &${letter} [${Array.from({ length: 9 }, () => (i === 0 ? '"lol"' : `*${LETTERS[i - 1]}`)).join(',')}]\n`)
  .join('')

const KEYS = 'there is no such key'

for (const [what, name, text, code, message] of [
  [
    'aliases of aliases',
    'x.yaml',
    `${laughs}plugins: *i\n`,
    'E_HOST_CONFIG_INVALID',
    /plugins is \[{9}"lol".*…; allowed: a block of plugins/
  ],
  ['aliases of aliases for the listener', 'x.yaml', `${laughs}rpc: *i\n`, 'E_HOST_CONFIG_INVALID', /rpc is \[{9}"lol".*…; allowed: /],
  ['a list that holds itself', 'x.yaml', 'plugins: &a [*a]\n', 'E_HOST_CONFIG_INVALID', /plugins is a value that holds itself; allowed: /],
  ['lists 20,000 deep', 'x.yaml', '['.repeat(20_000), 'E_HOST_CONFIG_UNREADABLE', /nesting exceeded maxDepth/],
  ['JSON 100,000 deep', 'x.json', `{"plugins":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'E_HOST_CONFIG_INVALID', /plugins is /],
  ['bytes', 'x.json', '\x00\x01\x02', 'E_HOST_CONFIG_UNREADABLE', /cannot be read/],
  ['code in YAML', 'x.yaml', 'plugins: !!js/function "x"\n', 'E_HOST_CONFIG_UNREADABLE', /unknown scalar tag/],
  ['more than a megabyte', 'x.yaml', 'x'.repeat(MOST_BYTES + 1), 'E_HOST_CONFIG_LARGE', /has 1048577 bytes; at most 1048576 are read$/],
  ['a prototype in JSON', 'x.json', '{"__proto__":{"polluted":1}}', 'E_HOST_CONFIG_INVALID', new RegExp(`__proto__: ${KEYS}`)],
  ['a prototype in YAML', 'x.yaml', '__proto__: { polluted: 1 }\n', 'E_HOST_CONFIG_INVALID', new RegExp(`__proto__: ${KEYS}`)]
] as const) {
  test(`a host configuration of ${what} is refused with a word about it`, async t => {
    const cwd = await temporaryFolder(t)
    const file = join(cwd, name)
    await writeFile(file, text)
    const error = await t.throwsAsync(configurationAt(file), { code })
    t.regex(error!.message, message)
    t.true(error!.message.length < 50_000)
    t.is(({} as Record<string, unknown>)['polluted'], undefined)
  })
}

test('a configuration that is found is held to its size like one that is named', async t => {
  const cwd = await temporaryFolder(t)
  await writeFile(join(cwd, 'holdfast.config.json'), ' '.repeat(MOST_BYTES + 1))
  await t.throwsAsync(configurationIn(cwd), { code: 'E_HOST_CONFIG_LARGE' })
})

for (const [what, text, code] of [
  ['lists 100,000 deep', '['.repeat(100_000), 'E_CONFIG_SYNTAX'],
  ['bytes', '\x00\x01', 'E_CONFIG_SYNTAX'],
  ['a list', '[]', 'E_CONFIG_VALUE'],
  ['a prototype for a section', '{"Addresses":{"__proto__":{"API":1},"API":[[]]}}', 'E_CONFIG_VALUE'],
  ['addresses 200 deep', `{"Addresses":{"Swarm":${'['.repeat(200)}${']'.repeat(200)}}}`, 'E_CONFIG_VALUE'],
  ['addresses 5,000 deep', `{"Addresses":{"Swarm":${'['.repeat(5000)}${']'.repeat(5000)}}}`, 'E_CONFIG_SYNTAX'],
  ['a key nobody knows, 3,000 deep', `{"Mine":${'['.repeat(3000)}${']'.repeat(3000)}}`, 'E_CONFIG_SYNTAX']
] as const) {
  test(`a node configuration of ${what} is refused with a word about it`, t => {
    const error = t.throws(() => nodeConfigModel.parse(text, 'config'), { code })
    t.true(error!.message.length < 50_000)
  })
}

test('a node configuration as deep as one may be can be shown, sorted and printed', t => {
  const config = nodeConfigModel.parse(`{"Mine":${'['.repeat(255)}${']'.repeat(255)}}`, 'config')
  t.deepEqual(nodeConfigModel.parse(nodeConfigModel.print(nodeConfigModel.shown(config), { sorted: true }), 'config'), config)
})

test('a prototype in a node configuration is a key like others', t => {
  const config = nodeConfigModel.parse('{"__proto__":{"polluted":1},"Datastore":{"__proto__":{"polluted":1}}}', 'config')
  t.is(({} as Record<string, unknown>)['polluted'], undefined)
  t.is(Object.getPrototypeOf(config), Object.prototype)
  t.is((nodeConfigModel.effective(config) as Record<string, unknown>)['polluted'], undefined)
})

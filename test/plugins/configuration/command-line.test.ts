import { join } from 'node:path'
import test from 'ava'
import { serve } from '../../../host/testing.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { linesOf } from '../../helpers/log.ts'
import { commandLine } from '../../helpers/process/command-line.ts'
import { until } from '../../helpers/until.ts'
import { configuredHost } from './host.ts'

test('the configuration is shown and set without a node that runs', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const run = (...words: string[]) => commandLine(['--repo', repo, ...words])
  t.is((await run('init')).code, 0)
  t.is((await run('config', 'Datastore.StorageMax', '20GB')).out, '')
  t.is((await run('config', 'Datastore.StorageMax')).out, '20GB\n')
  t.is((await run('config', '--json', 'Datastore.StorageGCWatermark', '80')).code, 0)
  t.true((await run('config', 'show')).out.includes('"StorageGCWatermark": 80'))
  const refused = await run('config', 'Nope')
  t.deepEqual([refused.code, refused.err.split('\n')[0]], [1, 'Error: failed to get config value: "Nope not found"'])
})

for (const [what, text, place] of [
  [
    'is no JSON',
    '{\n  "Identity": { "PrivKey": "CAES" },\n  "Addresses": {\n    "API": x\n  }\n}',
    /'x' .*\(line 4 column 12, in Addresses\.API\)$/
  ],
  ['breaks off', '{\n  "Bootstrap": [\n    "a",', /unexpected end .*\(line 3 column 9, in Bootstrap\[1\]\)$/],
  [
    'does not fit',
    '{\n  "addresses": {\n    "swarm": [ 1 ]\n  }\n}',
    /number .*Addresses\.Swarm.* \(line 3 column 16, in addresses\.swarm\[0\]\)$/
  ],
  ['is a list', '[]', /it is no JSON object$/]
] as const) {
  test(`a configuration that ${what} is refused with the place, on the command line and in the log`, async t => {
    const node = await configuredHost(t, {}, { gateway: 'off' })
    const rpc = new URL((await serve(node.host)).rpc!).origin
    const lines = linesOf(node.host, 'configuration')
    const before = await node.text()
    const form = () => {
      const body = new FormData()
      body.append('file', new Blob([text]))
      return body
    }
    const answer = await fetch(`${rpc}/api/v0/config/replace`, { method: 'POST', body: form() })
    t.deepEqual(await answer.json(), { Message: 'failed to decode file as config', Code: 0, Type: 'error' })
    t.regex(answer.headers.get('x-error-detail') ?? '', place)
    const asked = await commandLine(['--api', rpc, 'config', 'replace', '-'], { stdin: text })
    t.is(asked.code, 1)
    t.regex(asked.err.trimEnd(), /^Error: failed to decode file as config: /)
    t.regex(asked.err.trimEnd(), place)
    const said = await until('a line of the log', async () => lines.find(line => line.includes('failed to decode')))
    t.regex((JSON.parse(said) as { msg: string }).msg, place)
    t.false(`${asked.err}${said}`.includes('CAES'))
    t.is(await node.text(), before)
  })
}

test('without a node that runs, a configuration that is no JSON is refused with the place as well', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const run = (words: readonly string[], stdin = '') => commandLine(['--repo', repo, ...words], { stdin })
  t.is((await run(['init'])).code, 0)
  const { code, err } = await run(['config', 'replace', '-'], '{\n "API": {,}}')
  t.deepEqual(
    [code, err.split('\n')[0]],
    [
      1,
      "Error: failed to decode file as config: invalid character ',' looking for beginning of object key string (line 2 column 10, in API)"
    ]
  )
})

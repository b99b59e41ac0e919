/** A change of one value leaves all others of the file as they were, to the digit and to the byte, or it is refused. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { NodeConfigModel, Repo } from '../../../core/index.ts'
import { serve, upload } from '../../../host/testing.ts'
import { forKubo } from '../../../plugins/migrate/hand/config.ts'
import { translated } from '../../../plugins/migrate/kubo/config.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { commandLine } from '../../helpers/process/command-line.ts'
import { configuredHost } from './host.ts'

/** Numbers that JavaScript would write in another form. */
const NUMBERS = ['12345678901234567890123', '-9007199254740993', '1.0', '-0', '1e2', '1E-7', '0.1234567890123456789012345']

/** The texts of the numbers below `Mine` in a file. */
const numbersIn = (text: string) => [...(/"Mine": (\{[^}]*\})/.exec(text)?.[1] ?? '').matchAll(/-?\d[\d.eE+-]*(?=[,\s\]])/g)].map(String)

async function withNumbers(file: string) {
  const text = await readFile(file, 'utf8')
  const mine = `"Mine": { "list": [${NUMBERS.join(', ')}] }, "Plugins": { "Plugins": { "x": { "Config": { "n": 1.0 } } } }`
  const watermark = text.replace(/"StorageGCWatermark": 90/, '"StorageGCWatermark": 90.0').replace(/"Plugins": \{[^}]*\},/, '')
  await writeFile(file, watermark.replace('{', `{ ${mine}, `))
}

test('numbers of the file stay as they are written, whatever is changed beside them', async t => {
  const { call, set, host, file, text, show } = await configuredHost(t)
  await withNumbers(file)
  const stays = async (what: string) => {
    const now = await text()
    t.deepEqual(numbersIn(now), NUMBERS, what)
    t.true(now.includes('"StorageGCWatermark": 90.0') && now.includes('"n": 1.0'), what)
  }
  await set('Datastore.StorageMax', '7GB')
  await stays('config')
  await call('config/profile/apply', ['lowpower'])
  await stays('config/profile/apply')
  const { Mine: _, ...shown } = await show()
  await host.call('config/replace', { body: upload(JSON.stringify(shown)) })
  await stays('config/replace')
  await call('bootstrap/rm/all')
  await stays('bootstrap/rm/all')
  t.is(host.service(Repo)!.get('Datastore.StorageGCWatermark'), 90)
  t.deepEqual(host.service(Repo)!.get<never>('Mine.list'), JSON.parse(`[${NUMBERS}]`))
})

test('a number is set and shown as it was given, over the RPC and by the command line', async t => {
  const node = await configuredHost(t, {}, { gateway: 'off' })
  const rpc = new URL((await serve(node.host)).rpc!).origin
  const post = async (query: string) => (await fetch(`${rpc}/api/v0/${query}`, { method: 'POST' })).text()
  for (const number of NUMBERS) {
    const said = `{"Key":"My.Own","Value":${number}}\n`
    t.is(await post(`config?json=true&arg=My.Own&arg=${number}`), said)
    t.is(await post('config?arg=My.Own'), said)
    t.true((await post('config/show')).includes(`"My":{"Own":${number}}`), number)
    t.true((await node.text()).includes(`"Own": ${number}`), number)
  }
  await post(`config?json=true&arg=My.Own&arg=${NUMBERS[0]}`)
  for (const where of [
    ['--api', rpc],
    ['--repo', node.path]
  ]) {
    if (where[0] === '--repo') await node.host.stop()
    t.is((await commandLine([...where, 'config', 'My.Own'])).out, `${NUMBERS[0]}\n`)
    t.true((await commandLine([...where, 'config', 'show'])).out.includes(`"Own": ${NUMBERS[0]}`))
  }
})

test('a number that fits no key by its type is refused in the words of one, however it is written', async t => {
  const { set, call } = await configuredHost(t)
  await t.throwsAsync(call('config', ['Datastore.StorageMax', '1.0'], { json: true }), { message: /cannot unmarshal number into/ })
  await t.throwsAsync(call('config', ['Datastore', '1.0'], { json: true }), { message: /cannot unmarshal number into/ })
  await t.throwsAsync(call('config', ['My', '1e400'], { json: true }), { message: /number 1e400/ })
  await call('config', ['Datastore.BloomFilterSize', '1e2'], { json: true })
  await t.throwsAsync(set('Datastore.BloomFilterSize.x', 1), { code: 'E_CONFIG_SET' })
})

/** A file with bytes that are no UTF-8 below one key. */
async function withBytes(file: string) {
  const bytes = await readFile(file)
  await writeFile(file, Buffer.concat([Buffer.from('{ "Mine": { "name": "caf\xe9" }, ', 'latin1'), bytes.subarray(1)]))
}

test('a change that would replace bytes of the file that are no UTF-8 is refused with their key, until that is set anew', async t => {
  const { call, set, host, file, path } = await configuredHost(t)
  await withBytes(file)
  const before = await readFile(file)
  const refused = { code: 'E_CONFIG_BYTES', message: /not written: "Mine\.name" has bytes that are no UTF-8/ }
  await t.throwsAsync(set('Datastore.StorageMax', '7GB'), refused)
  await t.throwsAsync(call('config/profile/apply', ['lowpower']), refused)
  await t.throwsAsync(call('bootstrap/rm/all'), refused)
  await t.throwsAsync(host.call('config/replace', { body: upload('{"Mounts":{"IPFS":"/x"}}') }), refused)
  t.deepEqual(await readFile(file), before)
  await host.service(Repo)!.backupConfig('mine')
  const copy = (await readdir(path)).find(name => name.startsWith('mine-'))!
  t.deepEqual(await readFile(join(path, copy)), before)
  await set('Mine.name', 'café')
  await set('Datastore.StorageMax', '7GB')
  t.true((await readFile(file, 'utf8')).includes('"café"'))
  const sent = upload(Buffer.from('{"Mounts":{"IPFS":"/caf\xe9"}}', 'latin1'))
  await t.throwsAsync(host.call('config/replace', { body: sent }), { message: /"Mounts\.IPFS" has bytes/ })
})

test('init from a file, and migrate both ways, keep numbers and refuse such bytes', async t => {
  const folder = await temporaryFolder(t)
  const [given, repo, other] = ['given', 'repo', 'other'].map(name => join(folder, name)) as [string, string, string]
  await writeFile(given, `{ "Mine": { "list": [${NUMBERS}] } }`)
  t.is((await commandLine(['init', '--repo', repo, given])).code, 0)
  t.deepEqual(numbersIn(await readFile(join(repo, 'config'), 'utf8')), NUMBERS)
  await writeFile(given, Buffer.from('{ "Mine": "caf\xe9" }', 'latin1'))
  const refused = await commandLine(['init', '--repo', other, given])
  t.is(refused.code, 1)
  t.regex(refused.err, /"Mine" has bytes that are no UTF-8/)
  await migrated(t)
})

async function migrated(t: ExecutionContext) {
  const { host } = await configuredHost(t)
  const model = host.service(NodeConfigModel)!
  const config = model.parse(`{ "Datastore": {}, "Mine": { "list": [${NUMBERS}] } }`, 'config')
  t.deepEqual(numbersIn(model.print(translated(config, model).config)), NUMBERS)
  t.deepEqual(numbersIn(forKubo(config, model.create(host.service(Repo)!.identity), model.print).file), NUMBERS)
}

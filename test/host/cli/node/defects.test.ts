/** What plugins leave to nobody, in the process of a daemon. */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { launchDaemon } from '../../../helpers/process/daemon.ts'

const leaky = `
import { command, nothing, plugin } from 'holdfast'
const say = (path, run) => command.write(path, { help: 'Leaks.', reply: nothing(), run })
export default plugin({ name: 'leaky', api: '^1', about: 'Leaks.', commands: [
  say('leak/promise', () => void Promise.reject(new Error('forgotten'))),
  say('leak/frozen', () => void Promise.reject(Object.freeze(new Error('cold')))),
  say('leak/bare', () => void Promise.reject(Object.create(null))),
  say('leak/causes', () => {
    let error = new Error('root')
    for (let i = 0; i < 50_000; i++) error = new Error('deep', { cause: error })
    void Promise.reject(error)
  }),
  say('leak/ring', () => {
    const error = Object.assign(new Error('round'), { stack: 'Error: round' })
    error.cause = error
    void Promise.reject(error)
  }),
  say('leak/revoked', () => {
    const { proxy, revoke } = Proxy.revocable(new Error('gone'), {})
    revoke()
    void Promise.reject(proxy)
  }),
  say('leak/timer', () => void setTimeout(() => { throw new Error('late') })),
  say('leak/elsewhere', () => void setTimeout(() => { throw Object.assign(new Error('whose'), { stack: 'Error: whose' }) }))
] })`

async function withLeaky(t: ExecutionContext, onFailure: string) {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'node_modules'))
  await symlink(new URL('../../../../../', import.meta.url), join(folder, 'node_modules', 'holdfast'))
  await writeFile(join(folder, 'leaky.mjs'), leaky)
  await writeFile(
    join(folder, 'holdfast.config.yaml'),
    `plugins:\n  storage-rocksdb: off\n  storage-memory: on\n  ./leaky.mjs: on\n${onFailure}`
  )
  const launched = launchDaemon(join(folder, 'repo'))
  t.teardown(() => launched.kill())
  const daemon = await launched.ready
  const ask = (path: string) => fetch(`${daemon.url}/api/v0/${path}`, { method: 'POST' })
  const told = async (text: string) => {
    while (!daemon.output().includes(text)) await new Promise(resolve => daemon.process.stderr!.once('data', resolve))
    return daemon.output()
  }
  return { daemon, ask, told }
}

test('a leaked promise and a timer that throws are told with their plugin, and the node goes on', async t => {
  const { daemon, ask, told } = await withLeaky(t, '')
  t.is((await ask('leak/promise')).status, 200)
  await told("a promise of plugin 'leaky' was rejected and nobody listened: forgotten")
  t.is((await ask('leak/timer')).status, 200)
  await told("plugin 'leaky' threw where nobody catches, in a timer or an event handler: late")
  t.is((await ask('version')).status, 200)
  t.is(await daemon.stop(), 0)
})

test('a promise rejected with what can hardly be read is told, and the node goes on', async t => {
  const { daemon, ask, told } = await withLeaky(t, '')
  for (const [path, text] of [
    ['leak/frozen', "a promise of plugin 'leaky' was rejected and nobody listened: cold"],
    ['leak/bare', 'a promise was rejected and nobody listened: what was thrown has no text'],
    ['leak/causes', "a promise of plugin 'leaky' was rejected and nobody listened: deep"],
    ['leak/ring', 'a promise was rejected and nobody listened: round'],
    ['leak/revoked', 'a promise was rejected and nobody listened: what was thrown cannot be read']
  ] as const) {
    t.is((await ask(path)).status, 200)
    await told(text)
  }
  t.is((await ask('version')).status, 200)
  t.is(await daemon.stop(), 0)
})

test('onFailure: abort stops the node in order when such a plugin fails', async t => {
  const { daemon, ask, told } = await withLeaky(t, 'onFailure: { ./leaky.mjs: abort, default: continue }\n')
  const gone = new Promise(resolve => daemon.process.once('exit', resolve))
  await ask('leak/timer')
  await told("onFailure of plugin 'leaky' is abort: the node stops")
  t.is(await gone, 1)
})

test('an exception that comes from no plugin ends the process', async t => {
  const { daemon, ask } = await withLeaky(t, 'onFailure: continue\n')
  const gone = new Promise(resolve => daemon.process.once('exit', resolve))
  await ask('leak/elsewhere').catch(() => {})
  t.is(await gone, 1)
  t.true(daemon.output().includes('Error: whose'))
})

/** A daemon that is refused its start, before there is a repo and afterwards, and one that is killed on its way up. */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { HostConfiguration } from '../../../host/configuration.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { launchDaemon, startDaemon } from '../../helpers/process/daemon.ts'

interface Refusal {
  readonly because: string
  readonly configuration?: HostConfiguration
  readonly args?: readonly string[]
  readonly says: RegExp
  /** Decided only where there is no repo. */
  readonly onlyNew?: true
}

const PLUGINS = {
  'early.mjs': "throw new Error('too soon') // api: '^1'",
  'late.mjs': `import { Blockstore, plugin, Repo, service, settings, token } from 'holdfast'
import { z } from 'zod'
const schema = z.strictObject({ when: z.enum(['make', 'start', 'afterStart']).default('start') })
export default plugin({ name: 'late', api: '^1', about: 'L.', settings: schema, provides: [service(token('late'), {
  needs: { store: Blockstore, repo: Repo, settings: settings() },
  make({ settings }) {
    const fail = () => { throw new Error('too late') }
    return settings.when === 'make' ? fail() : { [settings.when]: fail }
  }
})] })`
}

const REFUSALS: readonly Refusal[] = [
  { because: 'a plugin that there is not', configuration: { plugins: { pinz: 'on' } }, says: /there is no plugin 'pinz'/ },
  { because: 'an import that fails', configuration: { plugins: { './early.mjs': 'on' } }, says: /failed while it was imported: too soon/ },
  { because: 'settings that do not fit', configuration: { plugins: { 'storage-rocksdb': { inlineUpTo: -1 } } }, says: /inlineUpTo/ },
  { because: 'a service that nobody provides', configuration: { plugins: { 'storage-rocksdb': 'off' } }, says: /is provided by nobody/ },
  { because: 'a profile that there is not', args: ['--init-profile', 'nope'], says: /invalid configuration profile: nope/, onlyNew: true },
  ...(['make', 'start', 'afterStart'] as const).map(when => ({
    because: `a plugin that fails in ${when}, when the stores have opened`,
    configuration: { plugins: { './late.mjs': { when } } },
    says: /plugin 'late' .* failed to start: too late/
  }))
]

async function space(t: ExecutionContext) {
  const folder = await temporaryFolder(t)
  const root = new URL('../../../../', import.meta.url)
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules', 'holdfast'))
  await symlink(new URL('node_modules/zod', root), join(folder, 'node_modules', 'zod'))
  for (const [name, text] of Object.entries(PLUGINS)) await writeFile(join(folder, name), text)
  const file = join(folder, 'holdfast.config.json')
  const refuse = async (repo: string, { configuration = {}, args = [], because, says }: Refusal) => {
    await writeFile(file, JSON.stringify(configuration))
    const { ready } = launchDaemon(repo, { args, globalArgs: ['--config', file] })
    t.regex((await t.throwsAsync(ready)).message, says, because)
  }
  /** Without any configuration. */
  const startAndStop = async (repo: string) => {
    await writeFile(file, '{}')
    const daemon = await startDaemon(repo)
    t.is(await daemon.stop(), 0)
    return daemon.output()
  }
  return { folder, refuse, startAndStop }
}

test('whatever refuses a first start, no repo is left, and the next start makes one', async t => {
  const { folder, refuse, startAndStop } = await space(t)
  const before = await readdir(folder)
  const repo = join(folder, 'repo')
  for (const refusal of REFUSALS) {
    await refuse(repo, refusal)
    t.deepEqual(
      (await readdir(folder)).filter(name => name !== 'holdfast.config.json'),
      before,
      refusal.because
    )
  }
  await startAndStop(repo)
})

test('whatever refuses a start over a repo, it is left as it was, and the next start opens it', async t => {
  const { folder, refuse, startAndStop } = await space(t)
  const repo = join(folder, 'repo')
  await startAndStop(repo)
  const state = async () => [
    (await readdir(repo)).sort(),
    ...(await Promise.all(['config', 'layouts'].map(name => readFile(join(repo, name), 'utf8'))))
  ]
  const before = await state()
  for (const refusal of REFUSALS.filter(({ onlyNew }) => !onlyNew)) {
    await refuse(repo, refusal)
    t.deepEqual(await state(), before, refusal.because)
  }
  await startAndStop(repo)
})

test('a port that is taken leaves a repo that is whole, whose configuration can name another', async t => {
  const { folder, refuse, startAndStop } = await space(t)
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  const repo = join(folder, 'repo')
  await refuse(repo, { because: 'port', args: ['--api', `/ip4/127.0.0.1/tcp/${port}`], says: /cannot listen on .* EADDRINUSE/ })
  const config = JSON.parse(await readFile(join(repo, 'config'), 'utf8')) as { Identity: { PeerID: string } }
  t.true((await startAndStop(repo)).includes(config.Identity.PeerID))
})

test('a first start that is killed at any moment leaves what the next start makes or opens', async t => {
  const folder = await temporaryFolder(t)
  for (let round = 0; round < 5; round++) {
    const repo = join(folder, `repo-${round}`)
    const { ready, kill } = launchDaemon(repo)
    const began = Date.now()
    // the folder first, then what comes into it: a little later each round
    while (!(await readdir(repo).catch(() => [])).length && Date.now() - began < 30_000) await new Promise(setImmediate)
    for (let i = 0; i < round * 60; i++) await new Promise(setImmediate)
    await kill()
    await ready.catch(() => {})
    t.is(await (await startDaemon(repo)).stop(), 0, `round ${round}`)
  }
})

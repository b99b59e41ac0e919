import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { type Daemon, startDaemon } from '../../../helpers/process/daemon.ts'

/** A repo whose node configuration says this of its datastore. */
async function repoWith(t: ExecutionContext, datastore: Record<string, unknown>): Promise<string> {
  const repo = join(await temporaryFolder(t), 'repo')
  const daemon = await startDaemon(repo)
  await daemon.stop()
  const file = join(repo, 'config')
  const config = JSON.parse(await readFile(file, 'utf8'))
  Object.assign(config.Datastore, datastore)
  await writeFile(file, JSON.stringify(config))
  return repo
}

const post = ({ url }: Daemon, path: string, init: RequestInit = {}) => fetch(`${url}/api/v0/${path}`, { method: 'POST', ...init })

test('with --enable-gc the daemon removes garbage by itself when the repo has grown', async t => {
  const repo = await repoWith(t, { GCPeriod: '20ms', StorageMax: '1B' })
  const daemon = await startDaemon(repo, ['--enable-gc'])
  t.teardown(() => daemon.kill())
  const body = new FormData()
  body.set('file', new Blob(['loose']))
  const { Key } = (await (await post(daemon, 'block/put', { body })).json()) as { Key: string }
  while ((await post(daemon, `block/stat?arg=${Key}`)).status === 200);
  t.is((await post(daemon, `block/stat?arg=${Key}`)).status, 500)
  t.is(await daemon.stop(), 0)
})

test('with --enable-gc and a period that is none, the daemon does not start and names the key', async t => {
  const repo = await repoWith(t, { GCPeriod: 'soon' })
  await t.throwsAsync(startDaemon(repo, ['--enable-gc']), { message: /Datastore\.GCPeriod/ })
  const daemon = await startDaemon(repo)
  t.is(await daemon.stop(), 0)
})

test('with --enable-gc and pins switched off, the daemon says that the flag has no effect', async t => {
  const repo = await repoWith(t, {})
  await writeFile(join(repo, '..', 'holdfast.config.json'), JSON.stringify({ plugins: { pins: 'off' } }))
  const daemon = await startDaemon(repo, ['--enable-gc'])
  t.teardown(() => daemon.kill())
  t.regex(daemon.output(), /the plugin 'pins' is off .*no effect/)
  t.is(await daemon.stop(), 0)
})

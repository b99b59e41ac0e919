import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { createHost } from '../../../host/create.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { commandLine } from '../../helpers/process/command-line.ts'
import { startDaemon } from '../../helpers/process/daemon.ts'

test('a repo above its limit is told where nothing sees to that: by repo/stat, by doctor and by the start', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  t.is((await commandLine(['init', '--repo', path])).code, 0)
  const stat = async (collect: 'on-request' | 'periodic') => {
    const host = await createHost({ repo: { path }, configuration: { plugins: { pins: { collect } } }, offline: 'a test' })
    await host.start()
    const found = (await host.call('repo/stat')) as { Warning?: string }
    await host.stop()
    return found.Warning
  }
  t.is(await stat('on-request'), undefined)
  await commandLine(['config', 'Datastore.StorageMax', '1KB', '--repo', path])
  const warned = /^the repo takes more than Datastore\.StorageMax, and nothing is collected unless asked for/
  t.regex((await stat('on-request'))!, warned)
  t.is(await stat('periodic'), undefined)
  t.regex((await commandLine(['repo', 'stat', '--repo', path])).out, /^Warning: +the repo takes more/m)
  const daemon = await startDaemon(path)
  t.teardown(() => daemon.kill())
  while (!daemon.output().includes('takes more than')) await new Promise(resolve => daemon.process.stderr!.once('data', resolve))
  const { out } = await commandLine(['doctor', '--json', '--repo', path])
  const space = (JSON.parse(out) as Array<{ check: string; state: string; about: string }>).filter(({ check }) => check === 'space')
  t.true(space.some(({ state, about }) => state === 'warning' && warned.test(about)))
})

test('doctor says so of a node that does not run as well, and names a limit that is no size', async t => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'repo')
  t.is((await commandLine(['init', '--repo', path])).code, 0)
  const space = async (...args: string[]) => {
    const { out } = await commandLine(['doctor', '--json', '--repo', path, ...args])
    const found = JSON.parse(out) as Array<{ check: string; state: string; about: string; remedy?: string }>
    return found.filter(({ check, about }) => check === 'space' && /StorageMax/.test(about))
  }
  const set = async (value: string) => t.is((await commandLine(['config', 'Datastore.StorageMax', value, '--repo', path])).code, 0)
  t.deepEqual(await space(), [])
  await set('1KB')
  const [over, ...more] = await space()
  t.deepEqual(more, [])
  t.is(over?.state, 'warning')
  t.regex(over!.about, /^the repo takes more than Datastore\.StorageMax, and nothing is collected unless asked for/)
  await writeFile(join(folder, 'periodic.json'), '{"plugins":{"pins":{"collect":"periodic"}}}')
  t.deepEqual(await space('--config', join(folder, 'periodic.json')), [])
  await set('much')
  const [wrong] = await space()
  t.is(wrong?.state, 'warning')
  t.regex(wrong!.about, /Datastore\.StorageMax .* is no size, as '10GB' would be: 'much'/)
  t.regex(wrong!.remedy!, /holdfast config Datastore\.StorageMax/)
  await set('')
  t.deepEqual(await space(), [])
})

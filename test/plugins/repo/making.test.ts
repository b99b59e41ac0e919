/** A new repo is there when everything has started, or not at all. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { nodeConfigModel } from '../../../config/node/index.ts'
import { Datastore, type Plugin, plugin, Repo, type Startable, service, token } from '../../../core/index.ts'
import { createHost } from '../../../host/index.ts'
import { NodeRepo } from '../../../plugins/repo/node-repo.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

const KEEPER = fileURLToPath(new URL('./making-child.js', import.meta.url))

/** A plugin that does something when the repo and its stores have started. */
const acting = (act: (repo: Repo) => Promise<void> | void, when: 'start' | 'afterStart' = 'start'): Plugin =>
  plugin({
    name: 'acting',
    api: '^1',
    about: 'Acts.',
    internal: [
      service(token<Startable>('test-acting'), {
        needs: { repo: Repo, store: Datastore },
        make: ({ repo }) => ({ [when]: () => act(repo) })
      })
    ]
  })

const bomb = (when?: 'start' | 'afterStart') =>
  acting(() => {
    throw new Error('too soon')
  }, when)

const hostOn = (path: string, ...plugins: Plugin[]) => createHost({ plugins, repo: { path, init: {} } })

test('a start that is refused after the stores have opened leaves a folder as it was, and none where none was', async t => {
  const folder = await temporaryFolder(t)
  const kept = join(folder, 'own')
  await mkdir(join(kept, 'kept'), { recursive: true })
  await writeFile(join(kept, 'blocks.key'), 'mine')
  for (const when of ['start', 'afterStart'] as const) {
    const host = await hostOn(join(folder, 'a', 'b'), bomb(when))
    await t.throwsAsync(host.start(), { message: /plugin 'acting' .* failed to start: too soon/ })
    t.deepEqual(await readdir(folder), ['own'])
    await t.throwsAsync((await hostOn(kept, bomb(when))).start(), { message: /too soon/ })
    t.deepEqual((await readdir(kept)).sort(), ['blocks.key', 'kept'])
  }
  t.is(await readFile(join(kept, 'blocks.key'), 'utf8'), 'mine')
  const host = await hostOn(kept)
  await host.start()
  await host.stop()
  t.true((await readdir(kept)).includes('config'))
})

test('what others put into the folder meanwhile stays, whoever makes the repo', async t => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'older'), 'mine')
  const host = await hostOn(
    folder,
    acting(async () => {
      await writeFile(join(folder, 'report'), 'mine')
      await mkdir(join(folder, 'drafts'))
      throw new Error('too soon')
    })
  )
  await t.throwsAsync(host.start(), { message: /too soon/ })
  t.deepEqual((await readdir(folder)).sort(), ['drafts', 'older', 'report'])
})

test('a start that is refused leaves a repo that was there as it was', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  const first = await hostOn(path)
  await first.start()
  await first.stop()
  const [names, config] = [await readdir(path), await readFile(join(path, 'config'), 'utf8')]
  await t.throwsAsync((await hostOn(path, bomb())).start(), { message: /too soon/ })
  t.deepEqual(await readdir(path), names)
  t.is(await readFile(join(path, 'config'), 'utf8'), config)
})

test('what plugins change of the configuration of a new repo while they start is in it', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  let during: string[] = []
  const host = await hostOn(
    path,
    acting(async repo => {
      await repo.updateConfig(config => ({ ...config, Mine: 1 }))
      t.is(repo.get('Mine'), 1)
      t.is(await repo.backupConfig('config-pre-test'), undefined)
      during = await readdir(path)
    })
  )
  await host.start()
  t.false(during.includes('config'), 'a folder with a configuration is complete')
  t.is(host.service(Repo)!.get('Mine'), 1)
  await host.stop()
  t.is((JSON.parse(await readFile(join(path, 'config'), 'utf8')) as { Mine: number }).Mine, 1)
})

test('whenever the making of a repo is killed, the next start makes it or opens it', async t => {
  const folder = await temporaryFolder(t)
  for (const moment of ['repo', 'stores', 'afterStart']) {
    const path = join(folder, moment)
    const child = spawn(process.execPath, [KEEPER, path, moment], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.teardown(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    t.false((await readdir(path)).includes('config'), moment)
    const host = await hostOn(path)
    await host.start()
    t.regex(host.service(Repo)!.identity.peerId, /^12D3KooW/)
    await host.stop()
  }
})

test('nothing is removed from a folder that another container may be working on, and its repo is not overwritten', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  await mkdir(path)
  const claim = '{"pid":1,"started":"1","where":"another container","nonce":"aa"}'
  await writeFile(join(path, 'repo.lock'), claim)
  const late = new NodeRepo({ path, init: {} }, nodeConfigModel, new Map())
  await late.start()
  await writeFile(join(path, 'config'), '{"theirs":true}')
  await t.throwsAsync(late.afterStart(), { code: 'E_REPO_EXISTS' })
  await late.stop()
  const never = new NodeRepo({ path: join(path, 'none'), init: {} }, nodeConfigModel, new Map())
  await never.start()
  await never.stop()
  t.deepEqual((await readdir(path)).sort(), ['config', 'repo.lock'])
  t.is(await readFile(join(path, 'config'), 'utf8'), '{"theirs":true}')
  t.is(await readFile(join(path, 'repo.lock'), 'utf8'), claim)
})

test('where what was begun cannot be removed, that is told, and the lock given back', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  const layers = new Map([['datastore', [{ plugin: 'files', layout: { type: 'files', folder: 'stuck' }, takesOver: [] }]]])
  const repo = () => new NodeRepo({ path, init: {} }, nodeConfigModel, layers)
  const first = repo()
  await first.start()
  await mkdir(join(path, 'stuck'))
  const { rm } = fs.promises
  fs.promises.rm = async (one, options) => {
    if (String(one).startsWith(path)) throw Object.assign(new Error('device busy'), { code: 'EBUSY' })
    await rm(one, options)
  }
  syncBuiltinESMExports()
  try {
    await t.throwsAsync(first.stop(), { code: 'EBUSY' })
  } finally {
    fs.promises.rm = rm
    syncBuiltinESMExports()
  }
  t.deepEqual(await readdir(path), ['stuck'])
  const second = repo()
  await t.notThrowsAsync(second.start())
  await second.stop()
})

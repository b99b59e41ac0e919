import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { Repo } from '../../../core/index.ts'
import { createHost } from '../../../host/index.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

const filesOf = async (path: string) => (await readdir(path)).filter(name => name.startsWith('repo.lock') || name === 'api').sort()

test('a node on a repo that another container works on leaves that one its lock and its address', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  const first = await createHost({ repo: { path, init: {} } })
  await first.start()
  await first.service(Repo)!.announce('api', '/ip4/127.0.0.1/tcp/5001')
  // As from where the other process cannot be seen.
  const lock = join(path, 'repo.lock')
  const claim = JSON.stringify({ ...JSON.parse(await readFile(lock, 'utf8')), where: 'another container' })
  await writeFile(lock, claim)

  const second = await createHost({ repo: { path } })
  await t.throwsAsync(second.start(), { message: /the database in .* does not open: .*lock/i })
  const third = await createHost({ repo: { path } })
  await t.throwsAsync(third.start(), { message: /another process holds its lock, and works on this repo/ })
  t.deepEqual(await filesOf(path), ['api', 'repo.lock'])
  t.is(await readFile(lock, 'utf8'), claim)

  await first.stop()
  t.deepEqual(await filesOf(path), [])
})

test('a node takes over the repo of a container that is gone, with what was left of it', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  const first = await createHost({ repo: { path, init: {} } })
  await first.start()
  await first.stop()
  await writeFile(join(path, 'repo.lock'), '{"pid":1,"started":"1","where":"another container","nonce":"aa"}')
  await writeFile(join(path, 'api'), '/ip4/127.0.0.1/tcp/5001')
  const second = await createHost({ repo: { path } })
  await second.start()
  t.deepEqual(await filesOf(path), ['repo.lock'])
  t.is(JSON.parse(await readFile(join(path, 'repo.lock'), 'utf8')).pid, process.pid)
  await second.stop()
  t.deepEqual(await filesOf(path), [])
})

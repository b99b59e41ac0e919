import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { acknowledged, kill, openRepo, writer } from './harness.ts'

const WRITER = new URL('./config-writer.js', import.meta.url)

test('whenever the node is killed, the configuration is whole and holds what was acknowledged', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  for (let round = 1; round <= 4; round++) {
    const child = writer(t, WRITER, path)
    const last = await acknowledged(child, round * 3)
    await kill(child)
    const repo = await openRepo(t, { path })
    const found = repo.get<number>('Number')!
    t.true(found >= last, `${found} of ${last}`)
    t.is(repo.get<string>('Filling')?.length, found * 1000)
    await repo.stop()
  }
  t.deepEqual(
    (await readdir(path)).filter(name => !['config', 'version', 'config.tmp'].includes(name)),
    []
  )
})

test('a repo whose making was broken off is made anew', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  const child = writer(t, WRITER, path)
  for (;;) {
    const names: string[] = await readdir(path).catch(() => [])
    if (names.includes('version') || names.includes('repo.lock')) break
    await new Promise(setImmediate)
  }
  await kill(child)
  const repo = await openRepo(t, { path, init: {} })
  t.regex(repo.identity.peerId, /^12D3KooW/)
})

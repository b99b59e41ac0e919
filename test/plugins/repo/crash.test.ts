import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { openRepo } from './harness.ts'

const WRITER = fileURLToPath(new URL('./config-writer.js', import.meta.url))

test('whenever the node is killed, the configuration is whole and holds what was acknowledged', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  for (let round = 1; round <= 4; round++) {
    const child = spawn(process.execPath, [WRITER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.teardown(() => void child.kill('SIGKILL'))
    let acknowledged = 0
    for await (const line of createInterface(child.stdout)) {
      acknowledged = Number(line)
      if (acknowledged === round * 3) break
    }
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    const repo = await openRepo(t, { path })
    const found = repo.get<number>('Number')!
    t.true(found >= acknowledged, `${found} of ${acknowledged}`)
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
  const child = spawn(process.execPath, [WRITER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => void child.kill('SIGKILL'))
  const gone = once(child, 'exit')
  for (;;) {
    const names: string[] = await readdir(path).catch(() => [])
    if (names.includes('version') || names.includes('repo.lock')) break
    await new Promise(setImmediate)
  }
  child.kill('SIGKILL')
  await gone
  const repo = await openRepo(t, { path, init: {} })
  t.regex(repo.identity.peerId, /^12D3KooW/)
})

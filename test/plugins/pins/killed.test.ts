import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { openRocks } from '../storage/backends.ts'
import { keys, pinned, tree, world } from './world.ts'

const child = fileURLToPath(new URL('./killed-child.js', import.meta.url))

test('an add that kill -9 ended goes on where it was, in the next process', async t => {
  const repo = await temporaryFolder(t)
  for (const reads of [600, 700]) {
    const running = spawn(process.execPath, [child, repo, String(reads)], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(running.stdout, 'data')
    running.kill('SIGKILL')
    await once(running, 'exit')
  }
  const { storage, data } = await openRocks(repo)
  t.teardown(() => storage.close())
  const w = world({ datastore: data })
  const { root, cids } = tree(w, 6, 4)
  t.is((await keys(data, '/pins/progress/')).length, 1)
  t.deepEqual(await pinned(w.pins), [])
  await w.pins.add(root, { name: 'resumed' })
  // Two processes read 1,300 blocks of 1,555 before; notes are left every 512 nodes, and some blocks load ahead of their turn.
  t.true(w.blocks.reads.length < cids.length - 1000, `${w.blocks.reads.length} reads of ${cids.length}`)
  t.deepEqual(await pinned(w.pins), [`${root} recursive resumed`])
  t.deepEqual(await keys(data, '/pins/progress/'), [])
})

/** The tour of the README, done to the letter on a node of its own. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { temporaryFolder } from '../helpers/folder.ts'
import { startDaemon } from '../helpers/process/daemon.ts'
import { root } from '../helpers/process/packed.ts'

test('the tour of the README shows what it says, and ends the node', async t => {
  const page = await readFile(join(root, 'README.md'), 'utf8')
  const tour = /^## A tour[\s\S]*?^```sh\n([\s\S]*?)^```$/m.exec(page)?.[1]
  const repo = join(await temporaryFolder(t), 'repo')
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  const ended = once(daemon.process, 'exit')
  const gateway = (await readFile(join(repo, 'gateway'), 'utf8')).trim()
  const script = tour!.replace('http://127.0.0.1:5001', daemon.url).replace('http://127.0.0.1:8080', gateway)
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-euc', script], { cwd: root })
  t.is(stderr, '')
  for (const said of [
    /"ID":"12D3/,
    /"Version":"0\.28\.0"/,
    /^same$/m,
    /"Name":"project"/,
    /\/LICENSE$/m,
    /"indirect through Qm/,
    /"name":"tour"/,
    /^unchanged$/m,
    /^\{"Path":"\/ipfs\/Qm\w+"\}$/m,
    /^served$/m
  ])
    t.regex(stdout, said)
  t.is(stdout.match(/^MIT License$/gm)?.length, 3)
  t.regex(stdout, /\{"Pins":\["Qm\w+"\]\}\s*$/)
  t.deepEqual(await ended, [0, null])
})

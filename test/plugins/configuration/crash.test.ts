import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { openRepo } from '../repo/harness.ts'

const WRITER = fileURLToPath(new URL('./writer-child.js', import.meta.url))

/** The numbers that a child has been answered, up to one. */
async function acknowledged(child: ChildProcess, upTo: number): Promise<number> {
  for await (const line of createInterface(child.stdout!)) if (Number(line) >= upTo) return Number(line)
  throw new Error('the writer ended by itself')
}

test('whenever the node is killed, each change that was answered is whole', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  for (const [kills, upTo] of [2, 5, 9].entries()) {
    const child = spawn(process.execPath, [WRITER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.teardown(() => void child.kill('SIGKILL'))
    const last = await acknowledged(child, upTo)
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    const repo = await openRepo(t, { path })
    const found = repo.get<number>('Mine.Number')!
    t.true(found >= last, `${found} of ${last}`)
    const peers = (repo.config()['Bootstrap'] as string[]).filter(peer => peer.startsWith('/ip4/10.'))
    t.true(
      peers.some(peer => peer.startsWith(`/ip4/10.0.0.${last}/`)),
      `the peer of ${last}, which was answered`
    )
    // each of the kills may have come between the two changes of a number, which the next writer does not make good
    const missing = found - peers.length
    t.true(missing >= 0 && missing <= kills + 1, `${peers.length} peers after ${found} changes`)
    t.regex(repo.identity.peerId, /^12D3KooW/)
    await repo.stop()
  }
})

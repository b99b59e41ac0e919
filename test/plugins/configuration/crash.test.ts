import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { acknowledged, kill, openRepo, writer } from '../repo/harness.ts'

const WRITER = new URL('./writer-child.js', import.meta.url)

test('whenever the node is killed, each change that was answered is whole', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  for (const [kills, upTo] of [2, 5, 9].entries()) {
    const child = writer(t, WRITER, path)
    const last = await acknowledged(child, upTo)
    await kill(child)
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

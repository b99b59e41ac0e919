/** Each promise of docs/durability.md on a disk that fails: what was acknowledged is there. `FAULTS_ALL=1` takes them all. */
import { onFaultyDisk } from './disk.ts'
import { modelAfter } from './power-cut.ts'
import { type Acknowledged, type Write, writes, wrongOf } from './writes.ts'

const ALL = process.env['FAULTS_ALL'] === '1'

/** Those whose way to the disk is another one. */
const FEW = /large block with pin|many small|pin\/rm|files\/write|name\/publish/

/** Rounds of one write each of the store, of keys and of files beside them, as long as there are any of the store. */
function rounds(): ReadonlyArray<readonly Write[]> {
  const [stored, keys, files] = (['store', 'keystore', 'folder'] as const).map(by => writes.filter(write => write.by === by)) as [
    Write[],
    Write[],
    Write[]
  ]
  return stored.filter(({ kind }) => ALL || FEW.test(kind)).map((write, i) => [write, keys[i % keys.length]!, files[i % files.length]!])
}

onFaultyDisk('right after each acknowledgement the power may go: what was not synced is not needed', async (t, disk) => {
  t.timeout(300_000)
  const node = await disk.start()
  const kept: Acknowledged[] = []
  for (const [round, some] of rounds().entries()) {
    for (const write of some) kept.push(await write.run(node.url, round))
    disk.note(`round ${round}`)
  }
  await node.kill()
  const records = disk.records()
  for (const [round, some] of rounds().entries()) {
    const repo = disk.folder(`cut-${round}`)
    modelAfter(records, `round ${round}`).leave(repo)
    disk.reboot()
    const next = await disk.start(repo)
    const durable = kept.slice(0, 3 * (round + 1)).filter(({ isDurable }) => isDurable)
    t.deepEqual(await wrongOf(next.url, durable), [], `after ${some.map(({ kind }) => kind).join(', ')}`)
    await next.kill()
  }
})

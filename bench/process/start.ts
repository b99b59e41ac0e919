/** From start to ready on a repo that is there, against Node starting and doing nothing; and the same with peers against without. */
import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchNode, benchFolder, startNode } from '../support/node.ts'
import { startOnline } from '../support/online.ts'
import { median, report, seconds } from '../support/report.ts'

const ROUNDS = 7
const folder = await benchFolder()

async function readyAfter(starting: Promise<BenchNode>): Promise<number> {
  const node = await starting
  await node.stop()
  return node.readyAfter
}

try {
  const offline = () => readyAfter(startNode(join(folder, 'offline/repo')))
  const online = () => readyAfter(startOnline(join(folder, 'online/repo')))
  const bare = async () => (await seconds(async () => execFileSync(process.execPath, ['-e', '0']))) * 1000
  await offline()
  await online()
  const taken = { offline: [] as number[], online: [] as number[], bare: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    taken.offline.push(await offline())
    taken.online.push(await online())
    taken.bare.push(await bare())
  }
  const unit = 'ms'
  const alone = median(taken.offline)
  report({ name: 'start to ready against bare node', measured: alone, against: median(taken.bare), unit, atMost: 12 })
  report({ name: 'start to ready with peers against without', measured: median(taken.online), against: alone, unit, atMost: 2 })
} finally {
  await rm(folder, { recursive: true, force: true })
}

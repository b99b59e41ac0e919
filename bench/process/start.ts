/** From start to ready on a repo that is there, against Node starting and doing nothing. */
import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { benchFolder, startNode } from '../support/node.ts'
import { report, seconds } from '../support/report.ts'

const folder = await benchFolder()
const median = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)]!
try {
  const repo = join(folder, 'repo')
  await (await startNode(repo)).stop()
  const ready: number[] = []
  const bare: number[] = []
  for (let i = 0; i < 7; i++) {
    const node = await startNode(repo)
    ready.push(node.readyAfter)
    await node.stop()
    bare.push((await seconds(async () => execFileSync(process.execPath, ['-e', '0']))) * 1000)
  }
  report({
    name: 'start to ready against bare node',
    measured: median(ready),
    against: median(bare),
    unit: 'ms',
    limit: 12,
    better: 'less'
  })
} finally {
  await rm(folder, { recursive: true, force: true })
}

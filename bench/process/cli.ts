/** How long the command line takes to say something, against Node starting and doing nothing. */
import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { startNode } from '../support/node.ts'
import { median, report, seconds } from '../support/report.ts'

const bin = fileURLToPath(new URL('../../bundle/host/cli/bin.js', import.meta.url))
const RUNS = 15

/** The median in milliseconds of runs that take turns with the bare engine, so that both meet the same machine. */
async function measured(args: readonly string[]): Promise<{ holdfast: number; bare: number }> {
  const time = async (all: readonly string[]) => (await seconds(async () => execFileSync(process.execPath, all, { stdio: 'pipe' }))) * 1000
  const [holdfast, bare]: [number[], number[]] = [[], []]
  // the first run fills the compile cache
  await time([bin, ...args])
  for (let i = 0; i < RUNS; i++) {
    holdfast.push(await time([bin, ...args]))
    bare.push(await time(['-e', '0']))
  }
  return { holdfast: median(holdfast), bare: median(bare) }
}

const node = await startNode()
try {
  const repo = ['--repo', node.repo]
  for (const { name, args, atMost } of [
    { name: 'holdfast --version', args: ['--version'], atMost: 2.4 },
    { name: 'holdfast --help', args: ['--help'], atMost: 6 },
    { name: 'holdfast pin --help', args: ['pin', '--help'], atMost: 8 },
    { name: 'holdfast id, asked of a node', args: [...repo, 'id'], atMost: 8 },
    { name: 'completion of a word', args: [...repo, '__complete', '--', 'pi'], atMost: 6 }
  ]) {
    const { holdfast, bare } = await measured(args)
    report({ name, measured: holdfast, against: bare, unit: 'ms', atMost })
  }
} finally {
  await node.stop()
  await rm(node.repo, { recursive: true, force: true })
}

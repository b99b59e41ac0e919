/**
 * How long the command line takes to say something, against Node starting and doing nothing; and to add many small files, against one request that
 * has them all. `bench/interop/compare.ts --only command-line` measures the latter beside Kubo.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { smallFiles } from '../support/files.ts'
import { benchFolder, manyFiles, startNode } from '../support/node.ts'
import { median, report, seconds } from '../support/report.ts'

const bin = fileURLToPath(new URL('../../bundle/host/cli/bin.js', import.meta.url))
const RUNS = 15
const FILES = 10_000
const ADDS = 5

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

async function run(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [status] = (await once(child, 'exit')) as [number | null]
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
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
  const [added, posted]: [number[], number[]] = [[], []]
  const folder = await benchFolder()
  for (let i = 0; i < ADDS; i++) {
    const many = await smallFiles(join(folder, `${i}`), FILES, i)
    added.push(await seconds(() => run(...repo, 'add', '-r', many)))
    posted.push(await seconds(() => node.post('add', manyFiles(FILES, i))))
  }
  await rm(folder, { recursive: true })
  report({ name: `add -r of ${FILES} small files`, measured: median(added), against: median(posted), unit: 's', atMost: 3 })
} finally {
  await node.stop()
  await rm(node.repo, { recursive: true, force: true })
}

/** The most memory a command line takes while it adds a file, a larger one, and many: what it holds must not depend on what it sends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { benchFolder, startNode } from '../support/node.ts'
import { MiB, report } from '../support/report.ts'

const bin = fileURLToPath(new URL('../../bundle/host/cli/bin.js', import.meta.url))
const GiB = Number(process.argv[2] ?? 5)

const node = await startNode()
const folder = await benchFolder()
try {
  const file = async (name: string, size: number) => {
    await writeFile(join(folder, name), '')
    await truncate(join(folder, name), size)
    return join(folder, name)
  }
  await mkdir(join(folder, 'many'))
  for (let i = 0; i < 10_000; i++) await writeFile(join(folder, 'many', String(i)), String(i))
  const small = await peak(['add', '-Qn', await file('small', 64 * MiB)])
  const unit = 'MiB'
  const large = await peak(['add', '-Qn', await file('large', GiB * 1024 * MiB)])
  report({ name: `memory while ${GiB} GiB are added, against 64 MiB`, measured: large, against: small, unit, atMost: 1.5 })
  const many = await peak(['add', '-rQn', join(folder, 'many')])
  report({ name: 'memory while 10,000 files are added, against 64 MiB', measured: many, against: small, unit, atMost: 1.5 })
} finally {
  await node.stop()
  await rm(folder, { recursive: true, force: true })
}

/** The largest resident memory, in MiB. */
async function peak(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [bin, '--repo', node.repo, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  let most = 0
  const watch = setInterval(async () => {
    most = Math.max(most, await high(child))
  }, 50)
  const [code] = await once(child, 'exit')
  clearInterval(watch)
  if (code !== 0) throw new Error(`${args.join(' ')}: ${code}`)
  return most
}

async function high({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return (Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024) / MiB
}

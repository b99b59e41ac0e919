import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Finding } from '../../../../host/cli/doctor/finding.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { startDaemon } from '../../../helpers/process/daemon.ts'

/** A repo whose RPC has a port that is free. */
export async function repoIn(t: ExecutionContext): Promise<{ folder: string; repo: string }> {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const daemon = await startDaemon(repo)
  await daemon.stop()
  await changeConfig(repo, config => {
    config['Addresses'] = { ...(config['Addresses'] as object), API: '/ip4/127.0.0.1/tcp/0' }
  })
  return { folder, repo }
}

/** The same, of a node that never ran. */
export async function newRepoIn(t: ExecutionContext): Promise<{ folder: string; repo: string }> {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  t.is((await commandLine(['--repo', repo, 'init'], { cwd: folder })).code, 0)
  await changeConfig(repo, config => {
    config['Addresses'] = { ...(config['Addresses'] as object), API: '/ip4/127.0.0.1/tcp/0', Gateway: '/ip4/127.0.0.1/tcp/0' }
  })
  return { folder, repo }
}

/** Changes the node configuration in a repo. */
export async function changeConfig(repo: string, change: (config: Record<string, unknown>) => void): Promise<void> {
  const file = join(repo, 'config')
  const config = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  change(config)
  await writeFile(file, JSON.stringify(config))
}

/** The outcome of `holdfast doctor` on a repo; with a configuration of its own (`--config`) that of a node that may have peers. */
export async function doctor(folder: string, repo: string, ...args: string[]) {
  const env = { HOLDFAST_OFFLINE: args.includes('--config') ? '0' : '1' }
  const { code, out, err } = await commandLine(['--repo', repo, 'doctor', '--json', ...args], { cwd: folder, env })
  const found = JSON.parse(out) as Finding[]
  const of = (check: Finding['check']) => found.filter(finding => finding.check === check)
  return { code, err, found, of, bad: found.filter(({ state }) => state === 'wrong').map(({ check }) => check) }
}

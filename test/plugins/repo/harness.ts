import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ExecutionContext } from 'ava'
import { nodeConfigModel } from '../../../config/node/index.ts'
import type { Logger, RepoLocation } from '../../../core/index.ts'
import { NodeRepo } from '../../../plugins/repo/node-repo.ts'

/** A repo that is closed when the test ends. */
export async function openRepo(t: ExecutionContext, location: RepoLocation, log?: Pick<Logger, 'error'>): Promise<NodeRepo> {
  const repo = new NodeRepo(location, nodeConfigModel, new Map(), log)
  await repo.start()
  await repo.afterStart()
  t.teardown(() => repo.stop())
  return repo
}

/** What opening it is refused with. */
export async function refusal(t: ExecutionContext, location: RepoLocation): Promise<{ code: string; message: string }> {
  const error = await t.throwsAsync(new NodeRepo(location, nodeConfigModel, new Map()).start())
  return error as Error & { code: string }
}

/** A process that runs a script on a repo, killed at the latest when the test ends. */
export function writer(t: ExecutionContext, script: URL, repo: string): ChildProcess {
  const child = spawn(process.execPath, [fileURLToPath(script), repo], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => void child.kill('SIGKILL'))
  return child
}

/** The last of the numbers that a writer prints, once it is so high. */
export async function acknowledged(child: ChildProcess, upTo: number): Promise<number> {
  for await (const line of createInterface(child.stdout!)) if (Number(line) >= upTo) return Number(line)
  throw new Error('the writer ended by itself')
}

export async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

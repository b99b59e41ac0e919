import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { launchDaemon } from '../helpers/process/daemon.ts'
import type { Node } from './differ.ts'

const run = promisify(execFile)
const PATIENCE_MS = 30_000

/** This build's node on a repo of its own. */
export async function thisNode(): Promise<Node> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-differential-'))
  const configuration = join(folder, 'holdfast.json')
  // as the reference does it: an answer that is broken off has no text to compare
  await writeFile(configuration, JSON.stringify({ rpc: { lateFailure: 'finish' } }))
  const node = await launchDaemon(join(folder, 'repo'), { env: { HOLDFAST_CONFIG: configuration } }).ready
  const stop = async () => {
    await node.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { url: `${node.url}/api/v0`, stop }
}

/** Kubo, offline, on a repo of its own. @param program - its path */
export async function referenceNode(program: string): Promise<Node> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-differential-'))
  const repo = join(folder, 'repo')
  const env = { ...process.env, IPFS_PATH: repo }
  await run(program, ['init', '--profile=test'], { env })
  await run(program, ['config', 'Addresses.API', '/ip4/127.0.0.1/tcp/0'], { env })
  const child = spawn(program, ['daemon', '--offline'], { env, stdio: 'ignore' })
  const gone = once(child, 'exit')
  const stop = async () => {
    if (child.exitCode === null) child.kill('SIGTERM')
    await gone
    await rm(folder, { recursive: true, force: true })
  }
  try {
    return { url: await announced(repo, child), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function announced(repo: string, child: ChildProcess): Promise<string> {
  for (let waited = 0; waited < PATIENCE_MS && child.exitCode === null; waited += 100) {
    const [, , , , port] = (await readFile(join(repo, 'api'), 'utf8').catch(() => '')).trim().split('/')
    if (port !== undefined) {
      const url = `http://127.0.0.1:${port}/api/v0`
      if (
        await fetch(`${url}/version`, { method: 'POST' }).then(
          ({ ok }) => ok,
          () => false
        )
      )
        return url
    }
    await sleep(100)
  }
  throw new Error('the program of the reference does not serve its RPC')
}

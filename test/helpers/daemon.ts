import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const bin = fileURLToPath(new URL('../../host/cli/bin.js', import.meta.url))

/** A node in a process of its own, as a user starts it. */
export interface Daemon {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  readonly process: ChildProcess
  /** Everything it printed so far. */
  output(): string
  /** Asks it to stop. @returns its exit status */
  stop(): Promise<number | null>
  /** `kill -9`, and waits until it is gone. */
  kill(): Promise<void>
}

/** Starts `holdfast daemon --init` on `repo` with a free port and waits until it is ready. */
export async function startDaemon(repo: string, args: readonly string[] = [], globalArgs: readonly string[] = []): Promise<Daemon> {
  const all = ['--repo', repo, ...globalArgs, 'daemon', '--init', '--offline', '--api', '/ip4/127.0.0.1/tcp/0', ...args]
  const child = spawn(process.execPath, [bin, ...all], { cwd: repo.replace(/[^/]+$/, ''), stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  const ready = new Promise<string>((resolve, reject) => {
    const take = (data: Buffer) => {
      text += data
      const port = /RPC API server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/.exec(text)?.[1]
      if (port !== undefined && text.includes('Daemon is ready')) resolve(`http://127.0.0.1:${port}`)
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('exit', code => reject(new Error(`the daemon ended with ${code}: ${text}`)))
  })
  const url = await ready
  const gone = once(child, 'exit')
  return {
    url,
    process: child,
    output: () => text,
    async stop() {
      if (child.exitCode === null) child.kill('SIGTERM')
      await gone
      return child.exitCode
    },
    async kill() {
      child.kill('SIGKILL')
      await gone
    }
  }
}

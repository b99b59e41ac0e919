import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The program: as it is installed, or the one that `TEST_BIN` names. */
export const bin = process.env['TEST_BIN'] ?? fileURLToPath(new URL('../../../bundle/host/cli/bin.js', import.meta.url))

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

/** A node on its way up. */
export interface Launched {
  /** Rejects, with all it printed, when it ends instead. */
  readonly ready: Promise<Daemon>
  kill(): Promise<void>
}

export interface LaunchOptions {
  /** Arguments of `holdfast daemon`. */
  readonly args?: readonly string[]
  /** Arguments before it. */
  readonly globalArgs?: readonly string[]
  /** Arguments of Node. */
  readonly nodeArgs?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The gateway opens where the configuration says, not on a free port. */
  readonly hasGateway?: boolean
  /** Whether it talks to peers, where its configuration lets it. Default false. */
  readonly online?: boolean
  /** The program. Default: this build's. */
  readonly bin?: string
}

/** Starts `holdfast daemon --init` on `repo` with free ports and waits until it is ready. */
export function startDaemon(repo: string, args: readonly string[] = [], globalArgs: readonly string[] = []): Promise<Daemon> {
  return launchDaemon(repo, { args, globalArgs }).ready
}

/** The same without the wait. */
export function launchDaemon(
  repo: string,
  { args = [], globalArgs = [], nodeArgs = [], env = {}, bin: program = bin, hasGateway = false, online = false }: LaunchOptions = {}
): Launched {
  const api = (hasGateway ? ['api'] : ['api', 'gateway']).flatMap(name =>
    args.includes(`--${name}`) ? [] : [`--${name}`, '/ip4/127.0.0.1/tcp/0']
  )
  const all = ['--repo', repo, ...globalArgs, 'daemon', '--init', ...(online ? [] : ['--offline']), ...api, ...args]
  const child = spawn(process.execPath, [...nodeArgs, program, ...all], {
    cwd: repo.replace(/[^/]+$/, ''),
    env: { ...process.env, ...(online && { HOLDFAST_OFFLINE: '0' }), ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let text = ''
  const gone = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await gone
  }
  const listening = new Promise<string>((resolve, reject) => {
    const take = (data: Buffer) => {
      text += data
      const port = /RPC API server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/.exec(text)?.[1]
      if (port !== undefined && text.includes('Daemon is ready')) resolve(`http://127.0.0.1:${port}`)
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('close', code => reject(new Error(`the daemon ended with ${code}: ${text}`)))
  })
  const stop = async () => {
    if (child.exitCode === null) child.kill('SIGTERM')
    await gone
    return child.exitCode
  }
  const ready = listening.then(url => ({ url, process: child, output: () => text, stop, kill }))
  ready.catch(() => {})
  return { ready, kill }
}

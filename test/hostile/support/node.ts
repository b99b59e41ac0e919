import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pluginIn } from '../../helpers/plugin.ts'
import { bin } from '../../helpers/process/daemon.ts'
import { until } from '../../helpers/until.ts'
import { type Answer, ask, type Request } from './http.ts'
import type { Vitals } from './probe.ts'

/** Memory for JavaScript in a node under attack, in MiB: one that needs more dies, and the test with it. */
const HEAP = 320

/**
 * How V8 is to run in a node under attack: it dies where it needs more than {@link HEAP}, and lets little garbage lie. What it lets lie all
 * the same, the probe collects, so that its memory is what the node needs.
 */
const V8_FLAGS = [`--max-old-space-size=${HEAP}`, '--heap-growing-percent=10']

/** A node in a process of its own, as a user starts it, that says how it does. */
export interface Target {
  readonly port: number
  readonly process: ChildProcess
  ask(request: Request): Promise<Answer>
  /** @param forget - has the node forget the most memory that it ever had, first */
  vitals(forget?: boolean): Promise<Vitals>
  /** How it does once it has collected its garbage: what it holds, and nothing that it has let go. */
  held(): Promise<Vitals>
  /** Everything it printed so far. */
  output(): string
  /** The port of its gateway, once that listens. */
  gatewayPort(): Promise<number>
  stop(): Promise<void>
}

/** @param configuration - of the host, beside what the test needs */
export async function startTarget(configuration: Record<string, unknown> = {}): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-hostile-'))
  const { plugins, rpc, ...others } = configuration as { plugins?: object; rpc?: object }
  const probe = await pluginIn(folder, new URL('./probe.js', import.meta.url))
  const whole = { ...others, plugins: { [probe]: 'on', ...plugins }, rpc: { lateFailure: 'finish', ...rpc } }
  await writeFile(join(folder, 'holdfast.config.json'), JSON.stringify(whole))
  const args = [
    '--repo',
    join(folder, 'repo'),
    'daemon',
    '--init',
    '--offline',
    '--api',
    '/ip4/127.0.0.1/tcp/0',
    '--gateway',
    '/ip4/127.0.0.1/tcp/0'
  ]
  const child = spawn(process.execPath, [...V8_FLAGS, bin, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc']
  })
  let text = ''
  const gone = once(child, 'exit')
  const port = await new Promise<number>((resolve, reject) => {
    const take = (data: Buffer) => {
      text += data
      const found = /RPC API server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/.exec(text)?.[1]
      if (found !== undefined && text.includes('Daemon is ready')) resolve(Number(found))
    }
    child.stdout!.on('data', take)
    child.stderr!.on('data', take)
    child.once('exit', code => reject(new Error(`the node ended with ${code}: ${text}`)))
  })
  async function tell(message: 'vitals' | 'forget' | 'collect'): Promise<Vitals> {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the node is gone: ${text}`)
    const answer = once(child, 'message')
    child.send(message)
    const died = gone.then(() => {
      throw new Error(`the node died: ${text}`)
    })
    const [vitals] = await Promise.race([answer, died])
    return vitals as Vitals
  }
  return {
    port,
    process: child,
    ask: request => ask(port, request),
    vitals: (forget = false) => tell(forget ? 'forget' : 'vitals'),
    held: () => tell('collect'),
    output: () => text,
    gatewayPort: async () =>
      Number(await until('its gateway listens', () => /Gateway server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/.exec(text)?.[1])),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await gone
      await rm(folder, { recursive: true, force: true })
    }
  }
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readFile, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MiB } from './report.ts'

/** The built tree that this bench belongs to. */
const BUILT = fileURLToPath(new URL('../..', import.meta.url))

export interface BenchNode {
  readonly port: number
  readonly url: string
  /** Of the gateway. */
  readonly gateway: string
  readonly repo: string
  /** From spawn to `Daemon is ready`, in milliseconds. */
  readonly readyAfter: number
  /** Resident memory in MiB, now. */
  memory(): Promise<number>
  /** Time of the processor that it has used, all its threads together, in seconds. */
  cpu(): Promise<number>
  post(path: string, body?: { boundary: string; chunks: AsyncIterable<Uint8Array> }, sink?: (chunk: Buffer) => void): Promise<string>
  stop(): Promise<void>
}

/** Time of the processor that a process has used, all its threads together, in seconds. */
async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // the name of the program stands in parentheses and may have blanks in it
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) / TICKS
}

/** A server that is asked as a node is. */
export type BareServer = Pick<BenchNode, 'port' | 'cpu' | 'post' | 'stop'>

/** Starts the server of `bare.ts`. */
export async function startBare(): Promise<BareServer> {
  const folder = await benchFolder()
  const child = spawn(process.execPath, [fileURLToPath(new URL('bare.js', import.meta.url)), join(folder, 'blocks')], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return serverOf(child, Number(port), folder)
}

/** A server in a process of its own, that listens on a port of this machine. `stop` ends the process and removes the folder. */
function serverOf(child: ChildProcess, port: number, folder?: string): BareServer {
  const agent = new http.Agent({ keepAlive: true })
  return {
    port,
    cpu: () => cpuOf(child.pid!),
    post: (path, body, sink) => request(port, agent, path, body, sink),
    async stop() {
      agent.destroy()
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
      if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    }
  }
}

/** A folder for a bench, removed when the process ends. */
export async function benchFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'holdfast-bench-'))
}

/** Of the processor's time in `/proc`, a second (USER_HZ, which is the same on all of Linux). */
const TICKS = 100

/** An address with a free port. */
const FREE = '/ip4/127.0.0.1/tcp/0'

/** How a node with peers is started. */
export interface Online {
  /** The file of its host configuration. */
  readonly online: string
  /** Values of the node configuration, by dotted keys; a repo that is there is taken as it is. */
  readonly node: Readonly<Record<string, unknown>>
}

/**
 * @param peers - default: it runs offline
 * @param built - the `dist` of a checkout, default: of this one
 */
export async function startNode(repo?: string, peers?: Online, built = BUILT): Promise<BenchNode> {
  const bin = join(built, 'bundle/host/cli/bin.js')
  const folder = repo ?? join(await benchFolder(), 'repo')
  // what is remembered of folders is the bench's own
  const env = { ...process.env, XDG_STATE_HOME: join(folder, '..', 'state'), HOLDFAST_OFFLINE: peers === undefined ? '1' : '0' }
  const common = [bin, '--repo', folder, ...(peers === undefined ? [] : ['--config', peers.online])]
  if (peers !== undefined && !(await isThere(join(folder, 'config')))) {
    const run = (...args: string[]) => execFileSync(process.execPath, [...common, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    run('init')
    for (const [key, value] of Object.entries(peers.node)) run('config', '--json', key, JSON.stringify(value))
  }
  const began = performance.now()
  const offline = peers === undefined ? ['--init', '--offline'] : []
  const child = spawn(process.execPath, [...common, 'daemon', ...offline, '--api', FREE, '--gateway', FREE], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env
  })
  let text = ''
  // Read to its end: a node whose output is closed dies of what it says when it stops.
  await new Promise<void>(resolve => {
    child.stdout.on('data', data => {
      text += data
      if (text.includes('Daemon is ready')) resolve()
    })
    child.stdout.on('end', resolve)
  })
  const port = /RPC API server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/.exec(text)?.[1]
  if (port === undefined) throw new Error(`the node did not start: ${text}`)
  const readyAfter = performance.now() - began
  return {
    ...serverOf(child, Number(port), repo === undefined ? join(folder, '..') : undefined),
    url: `http://127.0.0.1:${port}`,
    gateway: await readFile(join(folder, 'gateway'), 'utf8'),
    repo: folder,
    readyAfter,
    async memory() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / MiB
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}

function request(
  port: number,
  agent: http.Agent,
  path: string,
  body?: { boundary: string; chunks: AsyncIterable<Uint8Array> },
  sink?: (chunk: Buffer) => void
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': `multipart/form-data; boundary=${body.boundary}` }
    const req = http.request({ host: '127.0.0.1', port, path: `/api/v0/${path}`, method: 'POST', agent, headers }, res => {
      let text = ''
      res.on('data', (chunk: Buffer) => {
        if (sink === undefined) text += chunk
        else sink(chunk)
      })
      res.on('end', () => (res.statusCode === 200 ? resolve(text) : reject(new Error(`${path}: ${res.statusCode} ${text}`))))
      res.on('error', reject)
    })
    req.on('error', reject)
    const send = async () => {
      if (body !== undefined) for await (const chunk of body.chunks) if (!req.write(chunk)) await once(req, 'drain')
      req.end()
    }
    send().catch(reject)
  })
}

/** The hash of the last line of what `add` answers: the root. */
export const lastHash = (lines: string) => (JSON.parse(lines.trim().split('\n').at(-1)!) as { Hash: string }).Hash

/** A multipart body of one file of `size` bytes, every 256 KiB of it different. */
export function oneFile(size: number, seed: number): { boundary: string; chunks: AsyncIterable<Uint8Array> } {
  const boundary = 'bench-boundary'
  return {
    boundary,
    chunks: (async function* () {
      yield Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="big"\r\nContent-Type: application/octet-stream\r\n\r\n`
      )
      yield* chunksOf(size, seed)
      yield Buffer.from(`\r\n--${boundary}--\r\n`)
    })()
  }
}

/** A multipart body of a folder `many` of so many files of 1 KiB, each different. */
export function manyFiles(count: number, seed = 0): { boundary: string; chunks: AsyncIterable<Uint8Array> } {
  const boundary = 'bench-boundary'
  return {
    boundary,
    chunks: (async function* () {
      for (let i = 1; i <= count; i++) {
        const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="many%2F${i}"\r\nContent-Type: application/octet-stream\r\n\r\n`
        yield Buffer.concat([Buffer.from(head), ...chunksOf(1024, seed * count + i), Buffer.from('\r\n')])
      }
      yield Buffer.from(`--${boundary}--\r\n`)
    })()
  }
}

export function* chunksOf(size: number, seed: number): Iterable<Buffer> {
  const noise = Buffer.alloc(Math.min(262_144, 4 * Math.ceil(size / 4)))
  let x = seed || 1
  for (let i = 0; i < noise.length; i += 4) {
    x = (x ^ (x << 13)) >>> 0
    x ^= x >>> 17
    x = (x ^ (x << 5)) >>> 0
    noise.writeUInt32LE(x, i)
  }
  for (let at = 0, i = 0; at < size; at += noise.length, i++) {
    const chunk = Buffer.from(noise.subarray(0, Math.min(noise.length, size - at)))
    if (chunk.length >= 8) {
      chunk.writeUInt32LE(i, 0)
      chunk.writeUInt32LE(seed, 4)
    }
    yield chunk
  }
}

/** A node in a process of its own, Kubo's or this project's, that both are asked by the same RPC and meet nobody beyond this machine. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import http, { type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { binaryOf, type Version } from './kubo.ts'

export type Program = 'holdfast' | Version

/** What is spoken below the streams, and where it is listened for. */
export const TRANSPORTS = {
  tcp: '/ip4/127.0.0.1/tcp/0',
  quic: '/ip4/127.0.0.1/udp/0/quic-v1',
  ws: '/ip4/127.0.0.1/tcp/0/ws'
} as const

export type Transport = keyof typeof TRANSPORTS

export interface Setup {
  /** Values of the node configuration, by dotted keys. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Plugins of this project's node, as its configuration has them. */
  readonly plugins?: Readonly<Record<string, unknown>>
  /** Arguments of `daemon`. */
  readonly flags?: readonly string[]
  /** Of a private network. */
  readonly swarmKey?: string
  /** The network namespace that it runs in (see `islands.ts`). Default: that of the test. */
  readonly namespace?: string
  /** The `dist` of a checkout, where the program is this project's. Default: of this one. */
  readonly dist?: string
}

export interface Body {
  readonly boundary: string
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** With it nothing leaves this machine. */
const ALONE = {
  'Addresses.API': '/ip4/127.0.0.1/tcp/0',
  'Addresses.Gateway': '/ip4/127.0.0.1/tcp/0',
  'Addresses.Swarm': Object.values(TRANSPORTS),
  Bootstrap: [],
  'Discovery.MDNS.Enabled': false,
  'Routing.Type': 'none',
  'Routing.LoopbackAddressesOnLanDHT': true,
  'Swarm.DisableNatPortMap': true
}

/** What a new Kubo would take from afar besides. */
const KUBO_ALONE = {
  'AutoConf.Enabled': false,
  'AutoTLS.Enabled': false,
  'DNS.Resolvers': {},
  'HTTPRetrieval.Enabled': false,
  'Ipns.DelegatedPublishers': [],
  'Routing.DelegatedRouters': [],
  'Version.SwarmCheckEnabled': false
}

const DIST = fileURLToPath(new URL('../../..', import.meta.url))

/** Processes that a test which is cut short would leave behind. */
const running = new Set<ChildProcess>()
const killAll = () => {
  for (const child of running) child.kill('SIGKILL')
}
process.on('exit', killAll)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    killAll()
    process.kill(process.pid, signal)
  })
}

export class Peer {
  #child: ChildProcess | undefined
  #url = ''
  #id = ''
  #addresses: readonly string[] = []
  #text = ''
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
  readonly program: Program
  readonly folder: string
  readonly #setup: Setup

  private constructor(program: Program, folder: string, setup: Setup) {
    this.program = program
    this.folder = folder
    this.#setup = setup
  }

  static async start(program: Program, setup: Setup = {}): Promise<Peer> {
    const peer = new Peer(program, await mkdtemp(join(tmpdir(), 'holdfast-interop-')), setup)
    try {
      await peer.#init()
      await peer.again()
      return peer
    } catch (error) {
      await peer.close()
      throw error
    }
  }

  /** base58 */
  get id(): string {
    return this.#id
  }

  /** Of its process. */
  get pid(): number {
    return this.#child!.pid!
  }

  /** The URL of its gateway. */
  get gateway(): string {
    const port = /Gateway server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/.exec(this.#text)?.[1]
    return `http://127.0.0.1:${port}`
  }

  get repo(): string {
    return join(this.folder, 'repo')
  }

  /** Where it is reached, with its ID at the end. */
  address(transport: Transport = 'tcp'): string {
    const [found] = this.#addresses.filter(address => transportOf(address) === transport)
    if (found === undefined) throw new Error(`${this.program} listens for no ${transport}: ${this.#addresses}`)
    return found
  }

  async #init(): Promise<void> {
    await writeFile(this.#composition, JSON.stringify({ plugins: { network: 'on', ...this.#setup.plugins } }), { mode: 0o600 })
    const [command, ...args] = this.#command('init')
    await promisify(execFile)(command!, args, { env: this.#env, cwd: this.folder })
    // of another namespace, files are all that the test reaches
    const api = this.#socket === undefined ? {} : { 'Addresses.API': `/unix${this.#socket}` }
    await this.configure({ ...ALONE, ...(this.program === 'holdfast' ? {} : KUBO_ALONE), ...api, ...this.#setup.config })
    const { swarmKey } = this.#setup
    if (swarmKey !== undefined) await writeFile(join(this.repo, 'swarm.key'), swarmKey, { mode: 0o600 })
  }

  /** Takes effect at the next start. @param values - by dotted keys */
  async configure(values: Readonly<Record<string, unknown>>): Promise<void> {
    const file = join(this.repo, 'config')
    const config = JSON.parse(await readFile(file, 'utf8'))
    for (const [path, value] of Object.entries(values)) {
      const keys = path.split('.')
      let at = config
      for (const key of keys.slice(0, -1)) at = at[key] ??= {}
      at[keys.at(-1)!] = value
    }
    await writeFile(file, JSON.stringify(config))
  }

  /** Starts it, at first or once more on the same repo. */
  async again(): Promise<void> {
    const { namespace, flags = [] } = this.#setup
    const [command, ...args] = [
      ...(namespace === undefined ? [] : ['ip', 'netns', 'exec', namespace]),
      ...this.#command('daemon', ...flags)
    ]
    const child = spawn(command!, args, { env: this.#env, cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    running.add(child)
    child.once('exit', () => running.delete(child))
    this.#text = ''
    await new Promise<void>((resolve, reject) => {
      const take = (data: Buffer) => {
        this.#text += data
        if (this.#text.includes('Daemon is ready')) resolve()
      }
      child.stdout.on('data', take)
      child.stderr.on('data', take)
      child.once('close', code => reject(new Error(`${this.program} ended with ${code}: ${this.#text}`)))
    })
    const port = /RPC API server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/.exec(this.#text)?.[1]
    this.#url = this.#socket === undefined ? `http://127.0.0.1:${port}` : 'http://localhost'
    const { ID } = await this.json<{ ID: string }>('id')
    this.#id = ID
    if (this.#setup.flags?.includes('--offline')) return
    const { Strings } = await this.json<{ Strings: string[] | null }>('swarm/addrs/local')
    this.#addresses = (Strings ?? []).map(address => `${address}/p2p/${ID}`)
  }

  /** Its own program with a command that this node is asked for. */
  commandLine(...args: string[]): { readonly command: readonly string[]; readonly env: NodeJS.ProcessEnv } {
    return { command: this.#command(...args), env: this.#env }
  }

  /** Of its RPC, where that is no port. */
  get #socket(): string | undefined {
    return this.#setup.namespace === undefined ? undefined : join(this.folder, 'api.sock')
  }

  get #composition(): string {
    return join(this.folder, 'holdfast.json')
  }

  #command(...args: string[]): string[] {
    if (this.program !== 'holdfast') return [binaryOf(this.program), ...args]
    const bin = join(this.#setup.dist ?? DIST, 'bundle', 'host', 'cli', 'bin.js')
    return [process.execPath, bin, '--repo', this.repo, '--config', this.#composition, ...args]
  }

  get #env() {
    return {
      ...process.env,
      HOLDFAST_OFFLINE: '0',
      IPFS_TELEMETRY: 'off',
      IPFS_PATH: this.repo,
      XDG_STATE_HOME: join(this.folder, 'state')
    }
  }

  /** Calls a command of the RPC. @param path - with its query. @throws what it answers instead */
  async open(path: string, body?: Body, signal?: AbortSignal): Promise<IncomingMessage> {
    const headers = body === undefined ? {} : { 'Content-Type': `multipart/form-data; boundary=${body.boundary}` }
    const options = { method: 'POST', agent: this.#agent, headers, signal, socketPath: this.#socket }
    const request = http.request(`${this.#url}/api/v0/${path}`, options)
    const answered = once(request, 'response') as Promise<[IncomingMessage]>
    answered.catch(() => {})
    if (body === undefined) request.end()
    else {
      for await (const chunk of body.chunks) if (!request.write(chunk)) await Promise.race([once(request, 'drain'), answered])
      request.end()
    }
    const [response] = await answered
    if (response.statusCode === 200) return response
    throw new Error(`${this.program}: ${path}: ${response.statusCode} ${await text(response)}`)
  }

  async ask(path: string, body?: Body, signal?: AbortSignal): Promise<string> {
    return text(await this.open(path, body, signal))
  }

  async json<T>(path: string, body?: Body): Promise<T> {
    return JSON.parse(await this.ask(path, body)) as T
  }

  /** An answer of a line for each value. */
  async lines<T>(path: string, body?: Body): Promise<T[]> {
    const lines = (await this.ask(path, body)).split('\n')
    return lines.filter(line => line !== '').map(line => JSON.parse(line) as T)
  }

  /** How many octets an answer has, and what they hash to. */
  async digest(path: string): Promise<{ readonly size: number; readonly sha256: string }> {
    let size = 0
    const hash = createHash('sha256')
    for await (const chunk of await this.open(path)) {
      size += (chunk as Buffer).length
      hash.update(chunk as Buffer)
    }
    return { size, sha256: hash.digest('hex') }
  }

  /** Adds what a body holds. @returns the root */
  async add(body: Body, query = ''): Promise<string> {
    return (await this.lines<{ Hash: string }>(`add?progress=false${query}`, body)).at(-1)!.Hash
  }

  async connect(other: Peer, transport: Transport = 'tcp'): Promise<void> {
    await this.dial(other.address(transport))
  }

  async dial(address: string): Promise<void> {
    await this.ask(`swarm/connect?arg=${encodeURIComponent(address)}`)
  }

  async disconnect(other: Peer): Promise<void> {
    await this.ask(`swarm/disconnect?arg=${encodeURIComponent(`/p2p/${other.id}`)}`)
  }

  /** The transports of its connections with another. */
  async transports(other: Peer): Promise<Array<Transport | undefined>> {
    const { Peers } = await this.json<{ Peers: ReadonlyArray<{ Addr: string; Peer: string }> | null }>('swarm/peers')
    return (Peers ?? []).filter(({ Peer }) => Peer === other.id).map(({ Addr }) => transportOf(Addr))
  }

  /** Resident memory in MiB. */
  async memory(): Promise<number> {
    return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${this.pid}/status`, 'utf8'))![1]) / 1024
  }

  /** @param signal - with SIGTERM it ends in order */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  /** Ends it, and removes its repo. */
  async close(): Promise<void> {
    this.#agent.destroy()
    await this.kill()
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

export function transportOf(address: string): Transport | undefined {
  const [bare] = address.split('/p2p/') as [string]
  if (/\/udp\/\d+\/quic-v1$/.test(bare)) return 'quic'
  if (/\/tcp\/\d+\/ws$/.test(bare)) return 'ws'
  return /\/tcp\/\d+$/.test(bare) ? 'tcp' : undefined
}

async function text(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

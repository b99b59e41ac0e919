import { type ChildProcessWithoutNullStreams, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { until } from '../helpers/until.ts'

const folder = fileURLToPath(new URL('../../../test/rust-peer/', import.meta.url))

/** The longest that crates are waited for, in milliseconds. */
const FETCH_MS = 600_000

/** The protocol by which the node of rust-libp2p answers with what it got. */
export const ECHO = '/rust-peer/echo'

/** Why there can be no node of rust-libp2p here. @returns undefined where it can */
function missing(): string | undefined {
  if (process.env['RUST_PEER'] === undefined) return 'npm run test:rust runs it'
  if (spawnSync('cargo', ['--version']).status !== 0) return 'this machine has no cargo'
  const { status, stderr, error } = spawnSync('cargo', ['fetch', '--locked', '--quiet'], { cwd: folder, timeout: FETCH_MS })
  return status === 0 ? undefined : `its crates cannot be had: ${error?.message ?? `${stderr}`.trim().replaceAll(/\s+/g, ' ')}`
}

const why = missing()

if (why === undefined)
  test.before('the node of rust-libp2p is built', async t => {
    t.timeout(3_600_000)
    await promisify(execFile)('cargo', ['build', '--locked', '--offline', '--quiet'], { cwd: folder })
  })

/** A test with rust-libp2p where it can be built. Elsewhere it is skipped, and its title says why. */
export function withRust(title: string, run: (t: ExecutionContext) => Promise<void>): void {
  if (why === undefined) test.serial(title, run)
  else test.skip(`${title} (${why})`, run)
}

/** A line of what the node tells: of a peer's connection, of what it says of itself, of a ping. */
export interface Told {
  readonly event: string
  readonly peer: string
  readonly address: string
  readonly agent: string
  readonly version: string
  readonly observed: string
  readonly protocols: readonly string[]
  readonly addresses: readonly string[]
  readonly topic: string
  readonly from: string
  readonly value: string
  readonly ms: number
}

interface Answered {
  readonly answer: string
  readonly value?: unknown
  readonly error?: string
}

/** A node of rust-libp2p in a process of its own. */
export class RustPeer {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #told: Told[] = []
  readonly #answers = new Map<string, Answered>()
  #asked = 0

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child
    createInterface(child.stdout).on('line', line => {
      const one = JSON.parse(line) as Told | Answered
      if ('answer' in one) this.#answers.set(one.answer, one)
      else this.#told.push(one)
    })
  }

  /** Starts one that listens on this machine by this secure channel alone, and ends it with the test. */
  static async start(t: ExecutionContext, security: 'noise' | 'tls' = 'noise'): Promise<RustPeer> {
    const child = spawn(`${folder}target/debug/rust-peer`, [security])
    child.stderr.on('data', data => t.log(`${data}`))
    t.teardown(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.stdin.end()
      await once(child, 'exit')
    })
    const peer = new RustPeer(child)
    await peer.hears('listening')
    return peer
  }

  /** Where it listens, a multiaddr without its ID. */
  get address(): string {
    return this.#own[0]!
  }

  /** base58 */
  get id(): string {
    return this.#own[1]!
  }

  get #own(): string[] {
    return this.#told[0]!.address.split('/p2p/')
  }

  /** What it tells or has told of this kind. */
  hears(event: string, is: (one: Told) => boolean = () => true): Promise<Told> {
    return until(`it tells of ${event}`, () => this.#told.findLast(one => one.event === event && is(one)))
  }

  /** Gives a command. @throws what it says is wrong */
  async ask<T = string>(verb: string, ...words: readonly (string | Uint8Array)[]): Promise<T> {
    const number = `${++this.#asked}`
    const given = words.map(word => (typeof word === 'string' ? word : Buffer.from(word).toString('hex')))
    this.#child.stdin.write(`${[number, verb, ...given].join(' ')}\n`)
    const { value, error } = await until(`${verb} is answered`, () => this.#answers.get(number), 60_000)
    if (error !== undefined) throw new Error(error)
    return value as T
  }
}

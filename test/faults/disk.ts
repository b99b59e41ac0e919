/** A disk that fails as it is told: the library between a node and its disk (`disk.c`), its rules, and what it wrote down. */
import { appendFileSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecutionContext } from 'ava'
import { temporaryFolder } from '../helpers/folder.ts'
import { type Daemon, launchDaemon } from '../helpers/process/daemon.ts'
import { preload, withLibrary } from '../helpers/process/preload.ts'
import { until } from '../helpers/until.ts'

const source = fileURLToPath(new URL('../../../test/faults/disk.c', import.meta.url))

const built = preload(source)

/** Something that was done to the disk, or `note`: what a test wrote between. */
export interface DiskRecord {
  readonly op: string
  /** Below the repo; of a rename, from where. */
  readonly path: string
  /** Of a rename. */
  readonly to?: string
  readonly inode: string
  /** The offset of a write, the size of a truncate, the number of a sync. */
  readonly a: number
  /** The process of a sync. */
  readonly b: number
  readonly result: number
  /** Of a fault, the operation that it hit. */
  readonly fault: string
  readonly bytes: Buffer
}

/** The disk below one repo, for every node that is started with it. */
export class Disk {
  readonly repo: string
  readonly env: Readonly<Record<string, string>>
  readonly #t: ExecutionContext
  readonly #folder: string
  #boot = 0

  private constructor(t: ExecutionContext, folder: string, library: string) {
    this.#t = t
    this.#folder = folder
    this.repo = join(folder, 'repo')
    this.env = {
      LD_PRELOAD: library,
      // what goes to the kernel by a ring goes past the library
      UV_USE_IO_URING: '0',
      DISK_UNDER: this.repo,
      DISK_RULES: join(folder, 'rules'),
      DISK_TRACE: join(folder, 'trace'),
      DISK_BOOT: join(folder, 'boot')
    }
    this.rules()
    this.reboot()
  }

  static async make(t: ExecutionContext): Promise<Disk> {
    if ('missing' in built) throw new Error(built.missing)
    return new Disk(t, realpathSync(await temporaryFolder(t)), built.library)
  }

  /** The rules from now on, in place of all others: see `disk.c`. Calls that are held go on. */
  rules(...lines: readonly string[]): void {
    const file = this.env['DISK_RULES']!
    writeFileSync(`${file}.new`, lines.map(line => `${line}\n`).join(''))
    renameSync(`${file}.new`, file)
  }

  /** The machine is started: nodes see another boot id from now on. */
  reboot(): void {
    writeFileSync(this.env['DISK_BOOT']!, `00000000-0000-0000-0000-${String(++this.#boot).padStart(12, '0')}\n`)
  }

  /** Writes down that something was acknowledged, behind all that was done before. */
  note(text: string): void {
    appendFileSync(this.env['DISK_TRACE']!, `note\t${text}\t0\t0\t0\t0\t\n`)
  }

  /** Writes the configuration of the host beside the repo, where nodes find it. */
  configure(plugins: Readonly<Record<string, unknown>>): void {
    writeFileSync(join(this.#folder, 'holdfast.config.json'), JSON.stringify({ plugins }))
  }

  /** A node on a repo, by default this disk's, killed at the latest when the test ends. */
  async start(repo: string = this.repo, env: Readonly<Record<string, string>> = {}): Promise<Daemon> {
    const launched = launchDaemon(repo, {
      env: { ...this.env, DISK_UNDER: repo, ...(repo !== this.repo && { DISK_TRACE: '/dev/null' }), ...env }
    })
    this.#t.teardown(() => launched.kill())
    return launched.ready
  }

  /** All that was done so far, in its order. */
  records(): DiskRecord[] {
    return [...recordsIn(readFileSync(this.env['DISK_TRACE']!))]
  }

  /** Waits until so many calls were met by rules. */
  faults(count: number, op?: string): Promise<readonly DiskRecord[]> {
    return until(`${count} faults`, () => {
      const found = this.records().filter(record => record.op === 'fault' && (op === undefined || record.fault === op))
      return found.length >= count && found
    })
  }

  /** A folder of its own beside the repo. */
  folder(name: string): string {
    return join(this.#folder, name)
  }
}

function* recordsIn(trace: Buffer): Generator<DiskRecord> {
  for (let at = 0; at < trace.length; ) {
    const end = trace.indexOf(10, at)
    if (end < 0) return
    const [op = '', names = '', inode = '', a, b, result, fault = ''] = trace.toString('utf8', at, end).split('\t')
    const size = op === 'write' ? Number(result) : 0
    at = end + 1 + size
    const [path = '', to] = names.split('\v')
    yield {
      op,
      path,
      ...(to !== undefined && { to }),
      inode,
      a: Number(a),
      b: Number(b),
      result: Number(result),
      fault,
      bytes: trace.subarray(end + 1, at)
    }
  }
}

/** A test with a disk that fails, where there is a library for that. */
export function onFaultyDisk(title: string, run: (t: ExecutionContext, disk: Disk) => Promise<void>): void {
  withLibrary(built, title, async t => run(t, await Disk.make(t)))
}

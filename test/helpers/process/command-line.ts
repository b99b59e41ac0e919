import { PassThrough, Readable } from 'node:stream'
import { Interrupted } from '../../../host/cli/interrupted.ts'
import { main } from '../../../host/cli/main.ts'
import { Output } from '../../../host/cli/print/output.ts'
import type { Terminal } from '../../../host/cli/terminal.ts'
import { userFolders } from './user-folders.ts'

export interface CommandLineOptions {
  readonly stdin?: string | Uint8Array | AsyncIterable<Uint8Array>
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Ctrl-C. */
  readonly interrupt?: AbortSignal
  /** Which of the streams are a terminal. Default: none. */
  readonly tty?: { readonly stdout?: boolean; readonly stderr?: boolean }
}

export interface Ran {
  readonly code: number
  readonly out: string
  readonly bytes: Buffer
  readonly err: string
}

/** Runs a command line in this process, with an environment of its own. */
export async function commandLine(args: readonly string[], options: CommandLineOptions = {}): Promise<Ran> {
  const { stdin = '', cwd = process.cwd(), env = {}, interrupt, tty = {} } = options
  const controller = new AbortController()
  const stop = () => controller.abort(new Interrupted('SIGINT'))
  interrupt?.addEventListener('abort', stop)
  const [out, err] = [collecting(tty.stdout), collecting(tty.stderr)]
  const input = typeof stdin === 'string' || stdin instanceof Uint8Array ? Readable.from([Buffer.from(stdin)]) : Readable.from(stdin)
  const terminal: Terminal = {
    stdin: input,
    stdout: new Output(out.stream),
    stderr: new Output(err.stream),
    env: { ...userFolders, HOLDFAST_OFFLINE: '1', ...env },
    cwd,
    interrupts: () => controller.signal,
    get interrupted() {
      return controller.signal.aborted ? (controller.signal.reason as Interrupted) : undefined
    },
    close: () => input.destroy()
  }
  const code = await main(args, terminal)
  return { code, out: out.all().toString(), bytes: out.all(), err: err.all().toString() }
}

function collecting(isTTY = false) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 })
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return { stream, all: () => Buffer.concat(chunks) }
}

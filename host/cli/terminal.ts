import { createReadStream, fstatSync, writeSync } from 'node:fs'
import { type Readable, Writable } from 'node:stream'
import { inspect } from 'node:util'
import { Interrupted } from './interrupted.ts'
import { Output } from './print/output.ts'

/** The surroundings of a command line; a test makes its own. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  /** Whether standard input is a folder, of which Node.js says that nothing comes. */
  readonly isFolderStdin?: boolean
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Fires when the person wants it to end (Ctrl-C), or nobody reads what it prints; the reason is an {@link Interrupted}. */
  interrupts(): AbortSignal
  /** Why it ends early, if it does. */
  readonly interrupted: Interrupted | Stalled | undefined
  /** Lets go of standard input, which nobody may be left to end. */
  close(): void
}

/** The end of a process that has nothing left to do while its work is not done. */
class Stalled extends Error {
  readonly status = 1

  constructor() {
    super('it never ends: nothing is left in this process that it could be waiting for')
  }
}

/** The terminal, or whatever else this process was started from. */
export function processTerminal(): Terminal {
  let controller: AbortController | undefined
  let opened = false
  const stdout = new Output(writable(process.stdout, 1))
  const stderr = new Output(process.stderr)
  if (stderr.isTTY) process.on('uncaughtException', error => uncaught(error, stderr))
  return {
    // opened when it is first read: an open one keeps the process alive
    get stdin() {
      opened = true
      // Node.js reads nothing from these
      if (fstatSync(0).isBlockDevice()) return createReadStream('', { fd: 0, autoClose: false })
      return process.stdin
    },
    get isFolderStdin() {
      return fstatSync(0).isDirectory()
    },
    close() {
      if (opened) process.stdin.destroy()
    },
    stdout,
    stderr,
    env: process.env,
    cwd: process.cwd(),
    get interrupted() {
      return controller?.signal.aborted ? (controller.signal.reason as Interrupted | Stalled) : undefined
    },
    interrupts() {
      if (controller === undefined) {
        const made = new AbortController()
        controller = made
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
          // the second one does not wait
          process.on(signal, () =>
            made.signal.aborted ? process.exit(new Interrupted(signal).status) : made.abort(new Interrupted(signal))
          )
        }
        stdout.onFailure(error => {
          if (error.code === 'EPIPE') made.abort(new Interrupted('SIGPIPE'))
        })
        process.on('beforeExit', () => made.abort(new Stalled()))
      }
      return controller.signal
    }
  }
}

/** Of a file or a device a stream of its own: that of Node.js takes a write that the disk cut short for a whole one. */
function writable(stream: NodeJS.WriteStream, fd: number): NodeJS.WriteStream | Writable {
  if (stream.isTTY || !isFile(fd)) return stream
  return new Writable({
    write(chunk: Uint8Array, _, done) {
      try {
        for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at)
        done()
      } catch (error) {
        done(error as Error)
      }
    }
  })
}

function isFile(fd: number): boolean {
  const found = fstatSync(fd)
  return found.isFile() || found.isCharacterDevice()
}

/** Tells of an error that nobody caught, which Node.js would print as it is, unless a daemon decides about it; and ends as Node.js does. */
function uncaught(error: unknown, stderr: Output): void {
  if (process.listenerCount('uncaughtException') > 1) return
  stderr.write(`${inspect(error)}\n`)
  process.exit(1)
}

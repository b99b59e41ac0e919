import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** Why there is no terminal to be had on this machine; undefined where there is one. */
export function whyNoTerminal(): string | undefined {
  const { status, stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' })
  return status === 0 && stdout.includes('util-linux') ? undefined : "no 'script' of util-linux, which makes the terminal"
}

/** A program on a terminal of its own. */
export interface OnTerminal {
  readonly process: ChildProcess
  /** Everything that appeared so far. */
  shown(): string
  /** Waits until that matches. */
  until(what: RegExp): Promise<void>
  type(keys: string): void
  /** @returns its exit status */
  readonly ended: Promise<number | null>
}

/** Runs a shell's command line on a terminal. */
export function onTerminal(command: string, options: { cwd: string; env?: Readonly<Record<string, string>> }): OnTerminal {
  const child = spawn('script', ['-q', '-e', '-c', command, '/dev/null'], {
    cwd: options.cwd,
    env: { ...process.env, TERM: 'xterm', ...options.env },
    stdio: ['pipe', 'pipe', 'inherit']
  })
  let text = ''
  const waiting = new Set<() => void>()
  child.stdout.on('data', (data: Buffer) => {
    text += data
    for (const look of waiting) look()
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    process: child,
    shown: () => text,
    until: what =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!what.test(text)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
        void ended.then(() => reject(new Error(`it ended before ${what} appeared: ${JSON.stringify(text.slice(-500))}`)))
      }),
    type: keys => child.stdin.write(keys),
    ended
  }
}

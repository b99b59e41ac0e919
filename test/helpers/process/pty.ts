import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** Why there is no terminal to be had on this machine; undefined where there is one. */
export function whyNoTerminal(): string | undefined {
  const { status, stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' })
  return status === 0 && stdout.includes('util-linux') ? undefined : "no 'script' of util-linux, which makes the terminal"
}

/** How long something may take to appear, in milliseconds: far longer than it does on a machine with much else to do. */
const PATIENCE_MS = 90_000

/** A program on a terminal of its own. */
export interface OnTerminal {
  readonly process: ChildProcess
  /** Everything that appeared so far. */
  shown(): string
  /** Waits until that matches. @throws when the program ends before it does, or a minute and a half have gone by */
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
    // nobody else's output is held open by what stays behind
    stdio: ['pipe', 'pipe', 'ignore']
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
        const settle = (act: () => void) => {
          clearTimeout(timer)
          waiting.delete(look)
          act()
        }
        const fail = (why: string) => settle(() => reject(new Error(`${why} before ${what} appeared: ${JSON.stringify(text.slice(-500))}`)))
        const look = () => {
          if (what.test(text)) settle(resolve)
        }
        const timer = setTimeout(() => fail('its time was up'), PATIENCE_MS)
        waiting.add(look)
        look()
        void ended.then(() => fail('it ended'))
      }),
    type: keys => child.stdin.write(keys),
    ended
  }
}

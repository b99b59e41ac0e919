/**
 * Runs all properties on many cases, on every core: `npm run test:fuzz`. `FUZZ_CASES` says how many in all (default 1,000,000), `FUZZ_SEED`
 * which; what fails is printed with its counter-example, and the exit status is 1.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { properties } from './all.ts'

/** One property for a worker. */
interface Task {
  readonly index: number
  readonly runs: number
  readonly seed: number
}

/** How it went. */
interface Outcome {
  readonly index: number
  readonly error?: string
}

/** Longest that one property may take, in milliseconds: no input may hang a parser. */
const PATIENCE = 20 * 60_000

if (process.send === undefined) process.exitCode = await parent()
else process.on('message', task => void work(task as Task))

async function work({ index, runs, seed }: Task): Promise<void> {
  try {
    await properties[index]!.run(runs, seed)
    process.send!({ index } satisfies Outcome)
  } catch (error) {
    process.send!({ index, error: error instanceof Error ? error.message : String(error) } satisfies Outcome)
  }
}

async function parent(): Promise<number> {
  const cases = Number(process.env['FUZZ_CASES'] ?? 1_000_000)
  const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() & 0x7fffffff)
  const whole = properties.reduce((sum, { weight }) => sum + weight, 0)
  const tasks = properties.map(({ weight }, index) => ({ index, seed, runs: Math.ceil((cases * weight) / whole) }))
  const left = tasks.values()
  const failed: string[] = []
  await Promise.all(Array.from({ length: availableParallelism() }, () => worker(left, failed)))
  const runs = tasks.reduce((sum, task) => sum + task.runs, 0)
  process.stdout.write(`${runs} cases of ${properties.length} properties with seed ${seed}: ${failed.length} failed\n`)
  for (const one of failed) process.stdout.write(`\n${one}\n`)
  return failed.length === 0 ? 0 : 1
}

/** Takes tasks while there are any; one that hangs is given up with its process. */
async function worker(left: Iterator<Task>, failed: string[]): Promise<void> {
  let { child, exited } = start()
  for (let next = left.next(); next.done !== true; next = left.next()) {
    const { index, runs, seed } = next.value
    const { name } = properties[index]!
    child.send(next.value)
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE)
    const said = new Promise<Outcome>(resolve => child.once('message', message => resolve(message as Outcome)))
    const outcome = await Promise.race([said, exited.then((why): Outcome => ({ index, error: `its process ended: ${why}` }))])
    clearTimeout(timer)
    process.stdout.write(`${outcome.error === undefined ? 'ok  ' : 'FAIL'} ${name}: ${runs} cases, seed ${seed}\n`)
    if (outcome.error === undefined) continue
    failed.push(`${name}\n${outcome.error}`)
    if (child.exitCode !== null || child.signalCode !== null) ({ child, exited } = start())
  }
  child.disconnect()
}

function start(): { child: ChildProcess; exited: Promise<unknown> } {
  const child = fork(fileURLToPath(import.meta.url))
  return { child, exited: once(child, 'exit').then(([code, signal]) => signal ?? code) }
}

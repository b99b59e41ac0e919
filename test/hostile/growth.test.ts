import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { decoders } from './support/decoders.ts'
import type { Report } from './support/growth-child.ts'

/** Memory for JavaScript, in MiB, in which all decoders read a megabyte, one after the other. */
const HEAP = 256
/** The most memory that the process may ever have had, in bytes. */
const RESIDENT = 640 << 20

const reports = new Map<string, (report: Report) => void>()
const awaited = new Map(decoders.map(({ name }) => [name, new Promise<Report>(resolve => reports.set(name, resolve))]))
let child: ChildProcess

test.before(() => {
  const module = fileURLToPath(new URL('support/growth-child.js', import.meta.url))
  child = fork(module, [String(RESIDENT)], { execArgv: [`--max-old-space-size=${HEAP}`], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let printed = ''
  child.stderr!.on('data', data => (printed += data))
  child.on('message', message => {
    const report = message as Report
    reports.get(report.name)!(report)
  })
  child.on('exit', code => {
    for (const [name, tell] of reports) tell({ name, fault: `the process ended with ${code}: ${printed.slice(0, 2000)}` })
  })
})

test.after.always(() => {
  child?.kill('SIGKILL')
})

for (const { name } of decoders) {
  test(`time and memory grow no faster than the input: ${name}`, async t => {
    t.is((await awaited.get(name)!).fault, undefined)
  })
}

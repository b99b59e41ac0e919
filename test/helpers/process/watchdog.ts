/**
 * Ends a test process that does not end by itself. AVA loads this before every test file: its own limit is put off by as long as the longest
 * limit that any test asks for. The clock runs in a worker, so that a process whose loop never turns is ended too.
 */
import { Worker } from 'node:worker_threads'

/** The longest that a file of tests may take, in minutes; the crash suites at full length ask for more. */
const LONGEST_MS = Number(process.env['TEST_FILE_MINUTES'] ?? (process.env['CRASH_ROUNDS'] ? 45 : 12)) * 60_000
/** The time from the report of what holds the process to its end, where the loop still turns. */
const REPORT_MS = 10_000

const minutes = LONGEST_MS / 60_000
const file = process.argv.at(-1)

setTimeout(() => {
  console.error(`${file}: not at its end after ${minutes} minutes; held by ${process.getActiveResourcesInfo().join(', ')}`)
  process.exit(1)
}, LONGEST_MS).unref()

new Worker(`setTimeout(() => process.kill(${process.pid}, 'SIGKILL'), ${LONGEST_MS + REPORT_MS})`, { eval: true, execArgv: [] }).unref()

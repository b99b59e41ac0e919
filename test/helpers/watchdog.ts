/**
 * Ends a test process that does not end by itself. AVA loads this before every test file: its own limit is put off by as long as the longest
 * limit that any test asks for.
 */
const LONGEST_MS = 25 * 60_000

setTimeout(() => {
  const held = process.getActiveResourcesInfo()
  console.error(`${process.argv.at(-1)}: not at its end after ${LONGEST_MS / 60_000} minutes; held by ${held.join(', ')}`)
  process.exit(1)
}, LONGEST_MS).unref()

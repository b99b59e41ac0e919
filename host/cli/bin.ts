#!/usr/bin/env node
// whole, so that an older Node.js, which has not all of it, gets as far as being told
import * as modules from 'node:module'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 20)) {
  process.stderr.write(`Error: holdfast needs Node.js 22.20 or newer; this is ${process.versions.node}\n`)
  process.exit(1)
}
// Read by Node.js when the pool is first used: a store that waits for its disk takes half of it for reads, and leaves the rest to writes.
process.env['UV_THREADPOOL_SIZE'] ??= '8'
const { compiledFolder } = await import('./trust/compiled.ts')
const compiled = compiledFolder()
if (compiled !== undefined) modules.enableCompileCache?.(compiled)
const { main } = await import('./main.ts')
const { commandWords } = await import('./argv.ts')
const { endWith } = await import('./end.ts')
endWith(await main(commandWords(process.argv.slice(2))))

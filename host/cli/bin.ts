#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 20)) {
  process.stderr.write(`Error: holdfast needs Node.js 22.20 or newer; this is ${process.versions.node}\n`)
  process.exit(1)
}
enableCompileCache?.()
// Buffers of requests live outside the heap and go with the next small collection: a young generation that stays small halves the
// memory of a long add, and a node at rest keeps a tenth less.
setFlagsFromString('--semi-space-growth-factor=1')
const { main } = await import('./main.ts')
process.exitCode = await main(process.argv.slice(2))

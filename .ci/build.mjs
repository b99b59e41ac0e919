// Compiles the sources where the compiler is installed; an installation without development dependencies has nothing to compile.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const tsc = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url))
if (existsSync(tsc)) process.exitCode = spawnSync(tsc, ['-p', '.'], { stdio: 'inherit', shell: process.platform === 'win32' }).status ?? 1
else console.log('no compiler installed: nothing is built')

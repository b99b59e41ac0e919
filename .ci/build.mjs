// Compiles the sources and puts what is served beside them; an installation without development dependencies has nothing to build.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../', import.meta.url)
const tsc = fileURLToPath(new URL('node_modules/.bin/tsc', root))
if (existsSync(tsc)) {
  process.exitCode = spawnSync(tsc, ['-p', '.'], { stdio: 'inherit', shell: process.platform === 'win32' }).status ?? 1
  if (process.exitCode === 0) await import('./bundle.mjs')
  for (const folder of ['dist/host/rpc/docs/assets/', 'dist/bundle/assets/']) copyPage(folder)
  copyTemplate()
} else console.log('no compiler installed: nothing is built')

/** What `holdfast plugin new` writes: sources, which the compiler leaves where they are. */
function copyTemplate() {
  const path = 'host/cli/plugin/template/'
  cpSync(new URL(path, root), new URL(`dist/${path}`, root), { recursive: true })
}

/** The parts of swagger-ui that the page of the RPC (`host/rpc/docs`) is made of, with their licenses. */
function copyPage(folder) {
  const from = new URL('node_modules/swagger-ui-dist/', root)
  const to = new URL(folder, root)
  mkdirSync(to, { recursive: true })
  const files = ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css', 'favicon-32x32.png', 'LICENSE', 'NOTICE']
  for (const file of files) cpSync(new URL(file, from), new URL(file, to), { dereference: true })
}

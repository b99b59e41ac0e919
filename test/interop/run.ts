/**
 * `npm run interop`: this node and real Kubo with each other. It builds what is not there yet, and says in one line why it runs nothing where
 * Kubo cannot be had. Arguments are those of AVA.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { built, provide, VERSIONS } from './nodes/kubo.ts'

for (const version of VERSIONS) {
  try {
    await provide(version)
  } catch (error) {
    console.log(`interop: Kubo ${version} is skipped: ${(error as Error).message}`)
  }
}
if (built().length === 0) console.log('interop: skipped, as there is no Kubo')
else {
  const ava = fileURLToPath(new URL('../../../node_modules/ava/entrypoints/cli.js', import.meta.url))
  const config = fileURLToPath(new URL('ava.config.js', import.meta.url))
  // many streams take their time beside others
  const env = { TEST_FILE_MINUTES: '25', ...process.env }
  const child = spawn(process.execPath, [ava, '--config', config, ...process.argv.slice(2)], { stdio: 'inherit', env })
  const [code] = (await once(child, 'exit')) as [number | null]
  process.exitCode = code ?? 1
}

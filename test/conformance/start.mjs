// Makes a repo as `holdfast init` does, sets the scenario's keys in its configuration, and runs `holdfast daemon` on it.
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { main } from '../../dist/bundle/host/cli/main.js'

const { REPO, RPC_PORT, SCENARIO_CONFIG = '{}' } = process.env
const { args = ['--offline'], set = {} } = JSON.parse(SCENARIO_CONFIG) ?? {}
const composition = process.argv[2] ?? fileURLToPath(new URL('holdfast.config.json', import.meta.url))
const common = ['--repo', REPO, '--config', composition]

const file = join(REPO, 'config')
if (!existsSync(file)) {
  process.exitCode = await main([...common, 'init'])
  const config = JSON.parse(await readFile(file, 'utf8'))
  for (const [key, value] of Object.entries(set)) {
    const path = key.split('.')
    const last = path.pop()
    let at = config
    for (const name of path) at = at[name] ??= {}
    at[last] = value
  }
  await writeFile(file, JSON.stringify(config, null, 2))
}
process.exitCode = await main([...common, 'daemon', '--api', `/ip4/127.0.0.1/tcp/${RPC_PORT}`, ...args])

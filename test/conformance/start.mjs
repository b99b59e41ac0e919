// Makes a repo as `holdfast init` does, sets its addresses and the scenario's keys in its configuration, and runs `holdfast daemon` on it.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { main } from '../../dist/bundle/host/cli/main.js'
import { foreignFault } from '../../dist/core/files/foreign.js'

const { REPO, RPC_PORT, GATEWAY_PORT, SCENARIO_CONFIG = '{}' } = process.env
const { args = ['--offline'], set = {} } = JSON.parse(SCENARIO_CONFIG) ?? {}
const composition = process.argv[2] ?? (await loadable(fileURLToPath(new URL('holdfast.config.json', import.meta.url))))
const common = ['--repo', REPO, '--config', composition]

const file = join(REPO, 'config')
if (!existsSync(file)) {
  process.exitCode = await main([...common, 'init'])
  const config = JSON.parse(await readFile(file, 'utf8'))
  const addresses = { 'Addresses.API': `/ip4/127.0.0.1/tcp/${RPC_PORT}`, 'Addresses.Gateway': `/ip4/127.0.0.1/tcp/${GATEWAY_PORT}` }
  for (const [key, value] of Object.entries({ ...addresses, ...set })) {
    const path = key.split('.')
    const last = path.pop()
    let at = config
    for (const name of path) at = at[name] ??= {}
    at[last] = value
  }
  await writeFile(file, JSON.stringify(config, null, 2))
}
process.exitCode = await main([...common, 'daemon', '--api', `/ip4/127.0.0.1/tcp/${RPC_PORT}`, ...args])

/** A configuration is loaded only from a folder that nobody else decides over, and a checkout may belong to anybody. */
async function loadable(file) {
  if (foreignFault(file) === undefined) return file
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-start-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const copy = join(folder, 'holdfast.config.json')
  await copyFile(file, copy)
  return copy
}

/**
 * Replays the recorded conversations against this node, one after the other, and ends with `N passed, N failed`: those of each folder on
 * nodes of the level of the RPC that they were recorded at. Two replayers at a time
 * may be given the same free port, and then one of them talks to the node of the other.
 * `npm run conformance [-- TEXT]`: only scenarios whose name contains TEXT.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const here = join(root, 'test/conformance')
const kit = join(here, 'kit')
/** Where the kit's original lies beside a checkout; the copy here lets a clone alone be tested. */
const original = join(root, '..', 'shared', 'conformance')

/** Folders of the kit, and the level of the RPC of their conversations. */
const FOLDERS = { recorded: '0.28', 'recorded-newer': '0.42' } as const
type Counts = Record<'passed' | 'failed' | 'skipped', number>

const only = process.argv[2] ?? ''
// What is installed is the bundle; it should be of the sources as they are compiled.
await import(pathToFileURL(join(root, '.ci/bundle.mjs')).href)
const total: Counts & { scenarios: number } = { scenarios: 0, passed: 0, failed: 0, skipped: 0 }
for (const [folder, level] of Object.entries(FOLDERS)) {
  const names = (await readdir(join(kit, folder))).filter(name => name.endsWith('.json') && name.includes(only))
  if (names.length === 0) continue
  const outcome = await replay(
    names.map(name => join(kit, folder, name)),
    level
  )
  total.scenarios += names.length
  total.passed += outcome.passed
  total.failed += outcome.failed + (await drifted(folder, names))
  total.skipped += outcome.skipped
}
console.log(`conformance: ${total.scenarios} scenarios, ${total.skipped} steps differ as listed in test/conformance/exceptions.json`)
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1

/** How many of a folder's conversations differ from their originals, where these are there. */
async function drifted(folder: string, names: readonly string[]): Promise<number> {
  if (!existsSync(original)) return 0
  let count = 0
  for (const name of names) {
    const [copy, source] = await Promise.all([kit, original].map(at => readFile(join(at, folder, name))))
    if (copy?.equals(source!)) continue
    console.log(`not ok ${name} differs from its original in ${original}`)
    count++
  }
  return count
}

function replay(files: string[], level: string): Promise<Counts> {
  const args = [
    join(kit, 'conformance.mjs'),
    'replay',
    ...files,
    '--start',
    join(here, 'start'),
    '--exceptions',
    join(here, 'exceptions.json')
  ]
  const env = {
    ...process.env,
    HOLDFAST_OFFLINE: '0',
    HOLDFAST_RPC_LEVEL: level,
    PATH: join(root, 'node_modules', '.bin') + delimiter + process.env['PATH']
  }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.on('data', (data: Buffer) => {
      out += data
    })
    child.on('error', reject)
    child.on('close', () => {
      const [, passed, failed, skipped] = /(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\n$/.exec(out) ?? []
      process.stdout.write(out.replace(/\d+ passed.*\n$/, ''))
      if (passed === undefined) reject(new Error('the replayer ended without a result'))
      else resolve({ passed: Number(passed), failed: Number(failed), skipped: Number(skipped ?? 0) })
    })
  })
}

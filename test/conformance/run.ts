/**
 * Replays the recorded conversations against this node, one after the other, and ends with `N passed, N failed`. Two replayers at a time
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

const only = process.argv[2] ?? ''
// What is installed is the bundle; it should be of the sources as they are compiled.
await import(pathToFileURL(join(root, '.ci/bundle.mjs')).href)
const names = (await readdir(join(kit, 'recorded'))).filter(name => name.endsWith('.json') && name.includes(only))
let drifted = 0
if (existsSync(original)) {
  for (const name of names) {
    const [copy, source] = await Promise.all([kit, original].map(folder => readFile(join(folder, 'recorded', name))))
    if (!copy?.equals(source!)) {
      console.log(`not ok ${name} differs from its original in ${original}`)
      drifted++
    }
  }
}

const outcome = await replay(names.map(name => join(kit, 'recorded', name)))
const failed = outcome.failed + drifted
console.log(`conformance: ${names.length} scenarios, ${outcome.skipped} steps differ as listed in test/conformance/exceptions.json`)
console.log(`${outcome.passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && outcome.passed > 0 ? 0 : 1

function replay(files: string[]): Promise<Record<'passed' | 'failed' | 'skipped', number>> {
  const args = [
    join(kit, 'conformance.mjs'),
    'replay',
    ...files,
    '--start',
    join(here, 'start'),
    '--exceptions',
    join(here, 'exceptions.json')
  ]
  const env = { ...process.env, PATH: join(root, 'node_modules', '.bin') + delimiter + process.env['PATH'] }
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

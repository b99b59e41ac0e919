/**
 * Takes each line of `mutations.ts` away in a copy of what is built, and runs the tests that should notice: `npm run test:mutations`, where
 * arguments are parts of the promises to be tried. The exit status is 1 if the tests of one of them stay green.
 */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Mutation, mutations } from './mutations.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** What is built, with the line taken away. @throws Error - where the line is not there, or stands there more often */
export function mutated(source: string, { file, line, nth, instead = '' }: Mutation): string {
  const lines = source.split('\n')
  const found = lines.flatMap((text, at) => (text.trim().replace(/;$/, '') === line ? [at] : []))
  if (found.length === 0 || (nth === undefined && found.length > 1) || found.length <= (nth ?? 0))
    throw new Error(`${file}: '${line}' stands there ${found.length} times`)
  lines[found[nth ?? 0]!] = instead
  return lines.join('\n')
}

/** @returns whether all of them pass @throws Error - where they do not run */
async function areGreen(tests: readonly string[], copy: string): Promise<boolean> {
  try {
    const files = tests.map(name => `dist/test/${name}.test.js`)
    // the line is gone from a module, not from the bundle
    const env = { ...process.env, TEST_BIN: join(copy, 'dist/host/cli/bin.js') }
    await run(join(root, 'node_modules/.bin/ava'), ['--fail-fast', ...files], { cwd: copy, env, maxBuffer: 1 << 28 })
    return true
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    if (/tests? failed/.test(stdout)) return false
    throw new Error(`${tests.join(', ')}: ${stdout}${stderr}`)
  }
}

/** @returns whether the tests fail without the line */
async function isNoticed(mutation: Mutation, copy: string): Promise<boolean> {
  const path = join(copy, 'dist', `${mutation.file}.js`)
  const original = await readFile(path, 'utf8')
  await writeFile(path, mutated(original, mutation))
  try {
    return !(await areGreen(mutation.tests, copy))
  } finally {
    await writeFile(path, original)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const copy = await mkdtemp(join(tmpdir(), 'holdfast-mutations-'))
  try {
    await cp(join(root, 'dist'), join(copy, 'dist'), { recursive: true, filter: path => !path.startsWith(join(root, 'dist/browser')) })
    for (const name of ['node_modules', 'package.json', 'test', 'docs', 'core', 'plugins', 'host'])
      await symlink(join(root, name), join(copy, name))
    const wanted = process.argv.slice(2)
    const chosen = mutations.filter(({ promise }) => wanted.length === 0 || wanted.some(part => promise.includes(part)))
    const tests = [...new Set(chosen.flatMap(mutation => mutation.tests))]
    if (!(await areGreen(tests, copy))) throw new Error('the tests fail with every line in its place')
    let unnoticed = 0
    for (const mutation of chosen) {
      const noticed = await isNoticed(mutation, copy)
      if (!noticed) unnoticed++
      console.log(`${noticed ? 'noticed' : 'NOT NOTICED'}: ${mutation.promise} (${mutation.file}: ${mutation.line})`)
    }
    console.log(`${chosen.length} lines taken away, ${unnoticed} not noticed`)
    process.exitCode = unnoticed === 0 ? 0 : 1
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** What is said of files that were not loaded, and of folders that become trusted. */
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { trustFolder } from '../../../helpers/process/user-folders.ts'

async function folderWith(t: ExecutionContext, files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = join(await realpath(await temporaryFolder(t)), 'folder')
  await mkdir(cwd)
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
  return cwd
}

const tty = { stderr: true }
// each folder has a repo of its own, so that no test waits for the lock of another's
const run = (cwd: string, args: readonly string[], options = {}) =>
  commandLine(args, { cwd, env: { HOLDFAST_PATH: join(cwd, 'none') }, ...options })
const told = async (cwd: string, ...args: string[]) => (await run(cwd, args, { tty })).err

test('a terminal is told once what was not loaded, and what to do', async t => {
  const cwd = await folderWith(t, { 'holdfast.config.js': 'throw 1', '.holdfastrc': 'x', 'package.json': '{ "name": "x" }' })
  const line = `Not loaded: holdfast.config.js, .holdfastrc in ${cwd}, which is no trusted folder. Where you trust what is in it: holdfast trust\n`
  for (const args of [['version'], ['--help'], ['help', 'pin'], ['cid', 'bases'], ['cid', '--help'], ['plugins']])
    t.is(await told(cwd, ...args), line, args.join(' '))
  const unknown = await run(cwd, ['greet'], { tty })
  t.true(unknown.err.startsWith(`${line}Error: unknown command 'greet'`))
})

test('nothing is told where there is no terminal, unless that may be what is amiss; and never by completion', async t => {
  const cwd = await folderWith(t, { 'holdfast.config.js': 'throw 1' })
  t.is((await run(cwd, ['version'])).err, '')
  t.regex((await run(cwd, ['greet'])).err, /^Not loaded: /)
  for (const args of [['__complete', '--', ''], ['completion', 'bash'], ['trust', '--list'], ['--version']])
    t.is(await told(cwd, ...args), '', args.join(' '))
})

test('a package.json is told of only where it has a configuration', async t => {
  for (const [text, isTold] of [
    ['{ "holdfast": { "repo": "x" } }', true],
    ['{"holdfast":{}}', true],
    ['{ "dependencies": { "holdfast": "^1" } }', false],
    ['{ "holdfast": { "api": "^1" } }', false],
    ['{ broken', false]
  ] as const) {
    const err = await told(await folderWith(t, { 'package.json': text }), 'version')
    t.is(/^Not loaded: package\.json in /.test(err), isTold, text)
    t.is(err === '', !isTold, text)
  }
})

test('a trusted folder is not told of', async t => {
  const cwd = await folderWith(t, { 'holdfast.config.json': '{}' })
  await trustFolder(cwd)
  t.is(await told(cwd, 'version'), '')
})

test('doctor says whether the folder is trusted and what was not loaded', async t => {
  const cwd = await folderWith(t, { 'holdfast.config.yaml': 'plugins: {}\n' })
  const first = async (...args: string[]) => {
    const { out, err } = await run(cwd, ['doctor', '--json', ...args], { tty })
    t.is(err, '')
    return (JSON.parse(out) as Array<{ check: string }>).find(({ check }) => check === 'configuration')
  }
  t.like(await first(), {
    state: 'warning',
    about: `no configuration file: everything is at its default\nNot loaded: holdfast.config.yaml in ${cwd}, which is no trusted folder.`,
    remedy: 'Where you trust what is in it: holdfast trust'
  })
  await trustFolder(cwd)
  t.like(await first(), { state: 'ok', about: `${join(cwd, 'holdfast.config.yaml')}\n${cwd} is a trusted folder` })
  t.like(await first('--config', 'holdfast.config.yaml'), { state: 'ok', about: join(cwd, 'holdfast.config.yaml') })
  const empty = await folderWith(t, {})
  const { out } = await run(empty, ['doctor'])
  t.true(out.includes(`${empty} is no trusted folder\n`))
})

test('trust says what it did', async t => {
  const cwd = await folderWith(t, {})
  const other = await folderWith(t, {})
  const said = async (...args: string[]) => (await commandLine(['trust', ...args], { cwd })).out
  t.is(await said(), `${cwd} is a trusted folder from now on.\n`)
  t.is(await said(), `${cwd} is a trusted folder already.\n`)
  t.is(await said(other), `${other} is a trusted folder from now on.\n`)
  t.true((await said('--list')).includes(`${other}\n`))
  t.is(await said('--remove', other), `${other} is no trusted folder any more.\n`)
  t.is(await said('--remove', other), `${other} was no trusted folder.\n`)
  t.is(await said('--remove'), `${cwd} is no trusted folder any more.\n`)
  const wrong = await commandLine(['trust', '--list', other], { cwd })
  t.deepEqual([wrong.code, wrong.out], [1, ''])
  t.regex(wrong.err, /--list shows every trusted folder/)
})

test('init goes on where nothing can be remembered, and says so', async t => {
  const cwd = await folderWith(t, { 'holdfast.config.yaml': 'plugins: { cid: off }\n', file: '' })
  const env = { XDG_STATE_HOME: join(cwd, 'file') }
  const { code, err, out } = await commandLine(['--repo', join(cwd, 'repo'), 'init'], { cwd, env })
  t.is(code, 0, err)
  t.regex(err, /^.* cannot be remembered as a trusted folder, so that other commands load no configuration there: ENOTDIR/)
  t.regex(out, /initializing IPFS node/)
})

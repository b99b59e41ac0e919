/** A process ends when its work is done, whatever plugins leave running, and says who left what. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { bin, launchDaemon } from '../../helpers/process/daemon.ts'
import { trustFolder } from '../../helpers/process/user-folders.ts'

const root = new URL('../../../../', import.meta.url)

/** A folder whose configuration has a plugin with such a service and such a command. */
async function folderWith(t: ExecutionContext, { make = '() => ({})', run = '() => {}' }) {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules', 'holdfast'))
  await writeFile(
    join(folder, 'odd.mjs'),
    `import { createServer } from 'node:net'
import { command, nothing, plugin, service, token } from 'holdfast'
export default plugin({ name: 'odd', api: '^1', about: 'Odd.', provides: [service(token('odd'), { make: ${make} })],
  commands: [command.read('odd', { help: 'Odd.', reply: nothing(), run: ${run} })] })`
  )
  await writeFile(join(folder, 'holdfast.config.yaml'), 'repo: ./repo\nplugins:\n  ./odd.mjs: on\n')
  await trustFolder(folder)
  return folder
}

async function run(folder: string, ...args: string[]) {
  const child = spawn(process.execPath, [bin, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', data => {
    out += data
  })
  child.stderr.on('data', data => {
    err += data
  })
  const [code, signal] = await once(child, 'close')
  return { code: code ?? signal, out, err }
}

test('init ends where the start of a service begins a timer and a server, and says whose they are; version starts none', async t => {
  const folder = await folderWith(t, {
    make: '() => ({ start() { setInterval(() => {}, 1000); createServer().listen(0, "127.0.0.1") } })'
  })
  const { code, out, err } = await run(folder, 'init')
  t.is(code, 0)
  t.true(out.length > 0)
  t.regex(err, /plugin 'odd' left a timer and a server running: ended without it\n$/)
  t.like(await run(folder, 'version', '--number'), { code: 0, err: '' })
})

test('what ends with its plugin is not told of', async t => {
  const folder = await folderWith(t, {
    make: '() => { let timer; return { start() { timer = setInterval(() => {}, 1000) }, stop() { clearInterval(timer) } } }'
  })
  t.like(await run(folder, 'init'), { code: 0, err: '' })
})

test('a daemon whose plugin leaves a timer and fails to start says so and ends', async t => {
  const folder = await folderWith(t, { make: '() => ({ start() { setInterval(() => {}, 1000); throw new Error("no luck") } })' })
  const { code, err } = await run(folder, 'daemon', '--init')
  t.is(code, 1)
  t.regex(err, /plugin 'odd' \(.*odd\.mjs\) failed to start: no luck/)
  t.regex(err, /plugin 'odd' left a timer running/)
})

test('a daemon that is told to stop ends although a plugin leaves a timer', async t => {
  const folder = await folderWith(t, { make: '() => ({ start() { setInterval(() => {}, 1000) } })' })
  const launched = launchDaemon(join(folder, 'repo'))
  t.teardown(() => launched.kill())
  const daemon = await launched.ready
  t.is(await daemon.stop(), 0)
  t.regex(daemon.output(), /plugin 'odd' left a timer running: end it in the stop of a service, or give it to Resources/)
})

test('a command that never settles is told of, ends with 1, and leaves no lock', async t => {
  const folder = await folderWith(t, { run: '() => new Promise(() => {})' })
  await run(folder, 'init')
  const { code, err } = await run(folder, 'odd')
  t.is(code, 1)
  t.is(err, 'Error: it never ends: nothing is left in this process that it could be waiting for\n')
  t.deepEqual(
    (await readdir(join(folder, 'repo'))).filter(name => name.endsWith('.lock')),
    []
  )
})

test('what nobody catches in a command without a daemon is told with its plugin, and the command goes on', async t => {
  const cases = [
    [
      'async () => { Promise.reject(new Error("forgotten")); await new Promise(done => setTimeout(done, 50)) }',
      /a promise of plugin 'odd' was rejected and nobody listened: forgotten/
    ],
    [
      '() => new Promise(done => { setTimeout(done, 50); setTimeout(() => { throw new Error("late") }) })',
      /plugin 'odd' threw where nobody catches, in a timer or an event handler: late/
    ]
  ] as const
  for (const [command, told] of cases) {
    const folder = await folderWith(t, { run: command })
    await run(folder, 'init')
    const { code, err } = await run(folder, 'odd')
    t.is(code, 0, err)
    t.regex(err, told)
    t.false((await readdir(join(folder, 'repo'))).includes('repo.lock'))
  }
})

test('where onFailure of that plugin is abort, the command ends with 1 and leaves no lock', async t => {
  const folder = await folderWith(t, {
    run: '() => new Promise(() => { setTimeout(() => { throw new Error("late") }); setInterval(() => {}, 1000) })'
  })
  await appendFile(join(folder, 'holdfast.config.yaml'), 'onFailure: abort\n')
  await run(folder, 'init')
  const { code, err } = await run(folder, 'odd')
  t.is(code, 1, err)
  t.regex(err, /threw where nobody catches, in a timer or an event handler: late/)
  t.regex(err, /onFailure of plugin 'odd' is abort/)
  t.false((await readdir(join(folder, 'repo'))).includes('repo.lock'))
})

test('a server that its plugin closes in its stop is not told of', async t => {
  const folder = await folderWith(t, {
    make: `() => { const server = createServer(); return {
      start: () => new Promise(resolve => server.listen(0, '127.0.0.1', resolve)),
      stop: () => new Promise(resolve => server.close(resolve))
    } }`
  })
  t.like(await run(folder, 'init'), { code: 0, err: '' })
})

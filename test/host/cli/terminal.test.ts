/** What only a terminal can show: bars, Ctrl-C, a shell that completes. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, watch, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { tarHeader } from '../../../core/unixfs/export/tar-header.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { commandLine } from '../../helpers/process/command-line.ts'
import { bin } from '../../helpers/process/daemon.ts'
import { onTerminal, whyNoTerminal } from '../../helpers/process/pty.ts'

const absent = whyNoTerminal()
if (absent !== undefined) console.log(`left out, the tests on a terminal: ${absent}`)
const terminalTest = absent === undefined ? test : test.skip

/** An RPC whose `get` sends the beginning of an archive with one large file, and whose `add` reads for ever. */
async function endless(t: ExecutionContext) {
  const left = { get: deferred(), add: deferred() }
  const server = http.createServer((request, response) => {
    const command = request.url!.startsWith('/api/v0/get') ? 'get' : 'add'
    response.on('close', () => left[command].resolve())
    if (command === 'add') {
      response.write('{"Name":"x","Bytes":262144}\n')
      request.resume()
      return
    }
    response.writeHead(200, { 'X-Content-Length': String(1 << 30) })
    response.write(tarHeader({ type: 'file', path: 'root', size: 1n << 30n, mtime: { seconds: 0n, nanoseconds: 0 } }))
    response.write(Buffer.alloc(1 << 20))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { api: `http://127.0.0.1:${(server.address() as { port: number }).port}`, left }
}

function deferred() {
  let resolve!: () => void
  const promise = new Promise<void>(done => {
    resolve = done
  })
  return { promise, resolve }
}

/** A folder with `holdfast` in it. */
async function binFolder(t: ExecutionContext): Promise<string> {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'holdfast'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
  await chmod(join(folder, 'holdfast'), 0o755)
  return folder
}

test('Ctrl-C ends the work of the node, leaves nothing half-written, and ends with 130', async t => {
  const { api, left } = await endless(t)
  const cwd = await temporaryFolder(t)
  const watching = new AbortController()
  const made = watch(cwd, { signal: watching.signal })[Symbol.asyncIterator]().next()
  const child = spawn(process.execPath, [bin, '--api', api, 'get', '-o', 'out', 'x'], { cwd, stdio: 'ignore' })
  await made
  watching.abort()
  child.kill('SIGINT')
  const [code] = await once(child, 'close')
  t.is(code, 130)
  await left.get.promise
  t.deepEqual(await readdir(cwd), [])
})

test('Ctrl-C ends an add whose input has no end', async t => {
  const { api, left } = await endless(t)
  const interrupt = new AbortController()
  async function* input() {
    yield Buffer.alloc(1 << 18)
    setImmediate(() => interrupt.abort())
    await new Promise(() => {})
  }
  const { code } = await commandLine(['--api', api, 'add'], { stdin: input(), interrupt: interrupt.signal })
  t.is(code, 130)
  await left.add.promise
})

test('Ctrl-C without a node ends the work here and leaves the repo free', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  await commandLine(['--repo', repo, 'init'])
  const interrupt = new AbortController()
  async function* input() {
    yield Buffer.alloc(1 << 20)
    setImmediate(() => interrupt.abort())
    await new Promise(() => {})
  }
  const ended = await commandLine(['--repo', repo, 'add'], { stdin: input(), interrupt: interrupt.signal })
  t.deepEqual([ended.code, ended.out, ended.err], [130, '', ''])
  const next = await commandLine(['--repo', repo, 'pin', 'ls', '-t', 'recursive', '-q'])
  t.deepEqual([next.code, next.err], [0, ''])
})

test('whoever reads no further ends the work as well', async t => {
  const { api, left } = await endless(t)
  const child = spawn(process.execPath, [bin, '--api', api, 'get', '-o', '-', 'x'], { stdio: ['ignore', 'pipe', 'pipe'] })
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const [code] = await once(child, 'close')
  t.is(code, 141)
  await left.get.promise
})

test('without a terminal no bar appears, whatever is asked for', async t => {
  const cwd = await temporaryFolder(t)
  await writeFile(join(cwd, 'f'), Buffer.alloc(1 << 20))
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => response.end('{"Name":"f","Bytes":1048576}\n{"Name":"f","Hash":"Qm","Size":"1"}\n'))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const api = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const plain = await commandLine(['--api', api, 'add', '--progress', 'f'], { cwd })
  t.deepEqual([plain.out, plain.err], ['added Qm f\n', ''])
  const shown = await commandLine(['--api', api, 'add', 'f'], { cwd, tty: { stderr: true } })
  t.is(shown.out, 'added Qm f\n')
  t.regex(shown.err, /\r1\.00 MiB/)
  t.true(shown.err.endsWith('\r\x1b[K'), 'the bar is gone at the end')
  const quiet = await commandLine(['--api', api, 'add', '--progress=false', 'f'], { cwd, tty: { stderr: true } })
  t.deepEqual([quiet.out, quiet.err], ['added Qm f\n', ''])
})

terminalTest('a terminal shows a bar with bytes, the whole and the part, and Ctrl-C on it ends with 130', async t => {
  const { api, left } = await endless(t)
  const cwd = await temporaryFolder(t)
  const { shown, until, type, ended } = onTerminal(`'${process.execPath}' '${bin}' --api ${api} get -o out x`, { cwd })
  await until(/MiB \/ 1\.00 GiB .*%/)
  type('\x03')
  t.is(await ended, 130)
  t.regex(shown(), /Saving file\(s\) to out/)
  await left.get.promise
  t.deepEqual(await readdir(cwd), [])
})

/** A shell on a terminal that finds `holdfast`, with a home of its own. */
async function shellOnTerminal(t: ExecutionContext, shell: string) {
  const cwd = await temporaryFolder(t)
  await mkdir(join(cwd, 'home'))
  const env = { PATH: `${await binFolder(t)}:${process.env['PATH']}`, HOME: join(cwd, 'home'), PS1: '$ ' }
  const shown = onTerminal(shell, { cwd, env })
  t.teardown(() => shown.process.kill('SIGKILL'))
  return shown
}

terminalTest('bash completes commands and values at the tab key', async t => {
  const { until, type, ended } = await shellOnTerminal(t, 'bash --norc --noprofile -i')
  type('eval "$(holdfast completion bash)"; echo "re"ady\n')
  await until(/ready\r?\n/)
  type('holdfast pin upd\t')
  await until(/holdfast pin update /)
  type('\x15holdfast pin ls --type rec\t')
  await until(/holdfast pin ls --type recursive /)
  type('\x15holdfast pin ls --type=ind\t')
  await until(/holdfast pin ls --type=indirect /)
  type('\x15exit\n')
  await ended
  t.pass()
})

/** Why a shell cannot be tried here; undefined where it can. */
function whyNo(shell: string): string | undefined {
  return absent ?? (spawnSync(shell, ['-c', 'exit 0']).status === 0 ? undefined : `there is no ${shell}`)
}

for (const shell of ['zsh', 'fish']) {
  const why = whyNo(shell)
  if (why !== undefined) console.log(`left out, completion in ${shell}: ${why}`)
}

const zshTest = whyNo('zsh') === undefined ? test : test.skip
zshTest('zsh completes commands and values at the tab key', async t => {
  const { until, type, ended } = await shellOnTerminal(t, 'zsh -f -i')
  type('autoload -Uz compinit; compinit -u -D; eval "$(holdfast completion zsh)"; echo "re"ady\n')
  await until(/ready\r?\n/)
  type('holdfast pin upd\t')
  await until(/pin update/)
  type('\x15holdfast pin ls --type rec\t')
  await until(/--type recursive/)
  type('\x15exit\n')
  await ended
  t.pass()
})

zshTest('zsh completes from the first key on where the script lies in a folder of its functions', async t => {
  const cwd = await temporaryFolder(t)
  await mkdir(join(cwd, 'functions'))
  const env = { PATH: `${await binFolder(t)}:${process.env['PATH']}`, HOME: cwd, PS1: '$ ' }
  await writeFile(join(cwd, 'functions', '_holdfast'), (await commandLine(['completion', 'zsh'], { cwd: '/' })).out)
  const { until, type, ended, process: child } = onTerminal('zsh -f -i', { cwd, env })
  t.teardown(() => child.kill('SIGKILL'))
  type('fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D; echo "re"ady\n')
  await until(/ready\r?\n/)
  type('holdfast pin upd\t')
  await until(/pin update/)
  type('\x15exit\n')
  await ended
  t.pass()
})

const fishTest = whyNo('fish') === undefined ? test : test.skip
fishTest('fish completes commands, values, and files where nothing else is meant', async t => {
  const cwd = await temporaryFolder(t)
  await mkdir(join(cwd, 'home'))
  await writeFile(join(cwd, 'a-file'), '')
  const env = { ...process.env, PATH: `${await binFolder(t)}:${process.env['PATH']}`, HOME: join(cwd, 'home') }
  const complete = (line: string) => {
    const { stdout } = spawnSync('fish', ['-c', `holdfast completion fish | source; complete -C '${line}'`], { cwd, env, encoding: 'utf8' })
    return stdout.split('\n').flatMap(each => (each === '' ? [] : each.split('\t')[0]!))
  }
  t.deepEqual(complete('holdfast pin upd'), ['update'])
  t.deepEqual(complete('holdfast pin ls --type=').sort(), ['--type=all', '--type=direct', '--type=indirect', '--type=recursive'])
  t.true(complete('holdfast add a-').includes('a-file'))
})

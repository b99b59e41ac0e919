/** Output that cannot be written whole: a full disk, a limit, a device; and targets that no file may take the place of. */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import tar from 'tar-stream'
import { writeWhole } from '../../../../core/files/whole.ts'
import { save } from '../../../../host/cli/save/index.ts'
import { unpack } from '../../../../host/cli/save/unpack.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { bin } from '../../../helpers/process/daemon.ts'
import { outcomeOf } from '../../../helpers/process/outcome.ts'

function archiveOf(data: string, name = 'f'): AsyncIterable<Uint8Array> {
  const pack = tar.pack()
  if (name.includes('/')) pack.entry({ name: name.split('/')[0]!, type: 'directory' })
  pack.entry({ name }, data)
  pack.finalize()
  return pack as AsyncIterable<Uint8Array>
}

const onLinux = existsSync('/dev/full') ? test : test.skip

/** A repo with a file of 1.5 MB in a folder. */
async function stocked(t: ExecutionContext) {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  await writeFile(join(folder, 'large'), Buffer.alloc(1_500_000, 'content '))
  await commandLine(['init', '--repo', repo])
  const added = await commandLine(['add', '-Q', '-w', join(folder, 'large'), '--repo', repo])
  return { folder, repo, root: added.out.trim() }
}

/** Runs the program by a shell, with standard output and limits as it says. */
function shell(script: string, cwd: string) {
  return outcomeOf(
    spawn('bash', ['-c', script.replaceAll('holdfast', `'${process.execPath}' '${bin}'`)], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  )
}

onLinux('whatever a command prints onto a full disk ends with 1 and the reason', async t => {
  const { folder, root } = await stocked(t)
  for (const words of [
    `cat ${root}/large`,
    `block get ${root}`,
    `dag export ${root}`,
    `ls ${root}`,
    `ls ${root} --encoding json`,
    'pin ls --help'
  ]) {
    const { code, err } = await shell(`holdfast --repo repo ${words} > /dev/full`, folder)
    t.is(code, 1, words)
    t.regex(err, /cannot write to standard output, which ends before its end: no space left on device/, words)
  }
})

onLinux('a write that the disk cuts short is no whole one', async t => {
  const { folder, root } = await stocked(t)
  const { code, err } = await shell(`ulimit -f 1; holdfast cid format ${`${root} `.repeat(30)} > out`, folder)
  t.is((await stat(join(folder, 'out'))).size, 1024)
  t.is(code, 1)
  t.regex(err, /cannot write to standard output, which ends before its end: file too large/)
})

test('a reader that ends early is no failure of the disk', async t => {
  const { folder } = await stocked(t)
  const { out } = await shell('set -o pipefail; holdfast commands --flags | head -1 > /dev/null; echo $?', folder)
  t.regex(out, /^(0|141)\n$/)
})

test('a file that cannot be stored whole is told, and is not there', async t => {
  const folder = await temporaryFolder(t)
  const server = http.createServer((_, response) => void pipeline(archiveOf('content '.repeat(50_000)), response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  for (const words of ['', '-a']) {
    const { code, err } = await shell(`ulimit -f 100; holdfast --api http://127.0.0.1:${port} get ${words} -o target x`, folder)
    t.is(code, 1)
    t.regex(err, /^Error: cannot write '.*': file too large\n$/)
  }
  t.deepEqual(await readdir(folder), [])
})

async function* bytes(text: string) {
  yield Buffer.from(text)
}

const stores = {
  'an archive': (to: string) => unpack(archiveOf('content'), to, () => {}),
  bytes: (to: string) => save(bytes('content'), { to }, { cwd: '/', onBytes() {} })
}

for (const [what, store] of Object.entries(stores)) {
  test(`${what} into a pipe goes through it, and the pipe stays`, async t => {
    const path = join(await temporaryFolder(t), 'pipe')
    await promisify(execFile)('mkfifo', [path])
    const [content] = await Promise.all([readFile(path, 'utf8'), store(path)])
    t.is(content, 'content')
    t.true((await stat(path)).isFIFO())
  })

  onLinux(`${what} onto a device is written into it, by way of a symlink as well`, async t => {
    const path = join(await temporaryFolder(t), 'device')
    await symlink('/dev/full', path)
    await t.throwsAsync(store(path), { code: 'E_SAVE_FAILED', message: /no space left on device/ })
    await rm(path)
    await symlink('/dev/null', path)
    await store(path)
    t.is(await readlink(path), '/dev/null')
  })

  test(`${what} at a symlink goes to the file that it leads to, and no further`, async t => {
    const folder = await temporaryFolder(t)
    const [file, link, dangling, toFolder] = ['file', 'link', 'dangling', 'to-folder'].map(name => join(folder, name)) as [
      string,
      string,
      string,
      string
    ]
    await writeFile(file, 'before')
    await symlink('file', link)
    await symlink('nothing', dangling)
    await symlink('.', toFolder)
    await store(link)
    t.is(await readlink(link), 'file')
    t.is(await readFile(file, 'utf8'), 'content')
    await t.throwsAsync(store(dangling), { code: 'E_SAVE_EXISTS' })
    await t.throwsAsync(store(toFolder), { code: 'E_SAVE_EXISTS' })
    t.deepEqual((await readdir(folder)).sort(), ['dangling', 'file', 'link', 'to-folder'])
  })
}

test('in a folder that is there no pipe and no symlink gives way to a file', async t => {
  const folder = await temporaryFolder(t)
  const [piped, linked] = [join(folder, 'piped'), join(folder, 'linked')]
  for (const to of [piped, linked]) await unpack(archiveOf('content', 'root/f'), to, () => {})
  await rm(join(piped, 'f'))
  await promisify(execFile)('mkfifo', [join(piped, 'f')])
  await rm(join(linked, 'f'))
  await symlink('elsewhere', join(linked, 'f'))
  for (const to of [piped, linked])
    await t.throwsAsync(
      unpack(archiveOf('content', 'root/f'), to, () => {}),
      { code: 'E_SAVE_EXISTS' }
    )
  t.true((await stat(join(piped, 'f'))).isFIFO())
  t.is(await readlink(join(linked, 'f')), 'elsewhere')
})

test('an error names the file that the user named, not the one that is written first', async t => {
  const { folder, repo } = await stocked(t)
  const missing = join(folder, 'missing')
  await writeFile(join(folder, 'plain'), '')
  const run = (...words: string[]) => commandLine([...words, '--repo', repo], { cwd: folder })
  const root = (await run('add', '-Q', 'large')).out.trim()
  t.is((await run('key', 'gen', 'other')).code, 0)
  for (const words of [
    ['get', root],
    ['key', 'export', 'other'],
    ['diag', 'profile', '--profile-time', '0s', '--collectors', 'version']
  ]) {
    const into = await run(...words, '-o', 'missing/x')
    t.is(into.code, 1, words[0])
    t.true(into.err.includes(`cannot write '${join(missing, 'x')}': there is no folder ${missing}`), into.err)
    const below = await run(...words, '-o', 'plain/x')
    t.is(below.code, 1, words[0])
    t.true(below.err.includes(join(folder, 'plain', 'x')), below.err)
    const long = 'n'.repeat(300)
    const tooLong = await run(...words, '-o', long)
    t.is(tooLong.code, 1, words[0])
    for (const { err } of [into, below, tooLong]) t.notRegex(err, /\.part/, words[0])
  }
  t.deepEqual((await readdir(folder)).sort(), ['large', 'plain', 'repo'])
})

test('an error of a file that is replaced as a whole names that file, whatever is written first', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'missing', 'config')
  const { message } = (await t.throwsAsync(writeWhole(file, 'content'), { code: 'ENOENT' }))!
  t.true(message.endsWith(`'${file}'`), message)
})

import { execFile } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { type FileOptions, filesOf } from '../../../../host/cli/upload/files.ts'
import { partsOf } from '../../../../host/cli/upload/parts.ts'
import { type RuleOptions, rulesOf } from '../../../../host/cli/upload/rules.ts'
import { Multipart } from '../../../../host/client/multipart.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { gathered } from '../../../helpers/streams.ts'

async function tree(t: ExecutionContext): Promise<string> {
  const cwd = await temporaryFolder(t)
  await mkdir(join(cwd, 'dir', 'sub', 'deep'), { recursive: true })
  await mkdir(join(cwd, 'dir', '.git'))
  for (const [name, text] of [
    ['z.txt', 'zz'],
    ['dir/b.log', 'b'],
    ['dir/a b&c.txt', 'abc'],
    ['dir/.hidden', 'h'],
    ['dir/.git/head', 'g'],
    ['dir/sub/b.log', 'bb'],
    ['dir/sub/deep/x', 'x']
  ] as const) {
    await writeFile(join(cwd, name), text)
  }
  await symlink('b.log', join(cwd, 'dir', 'link'))
  await symlink('dir', join(cwd, 'way'))
  return cwd
}

type UploadOptions = Partial<Omit<FileOptions, 'rules'> & RuleOptions>

async function sent(
  words: readonly string[],
  { hidden = false, patterns = [], file, ...said }: UploadOptions & { cwd: string }
): Promise<string[]> {
  const source = await filesOf(words, {
    argument: 'path',
    folders: true,
    recursive: true,
    dereference: false,
    stdinName: '',
    rules: await rulesOf({ hidden, patterns, file }),
    stdin: async function* () {
      yield Buffer.from('from stdin')
    },
    ...said
  })
  const found: string[] = []
  for await (const { path, kind, bytes } of source.entries()) {
    found.push(`${kind} ${path} ${await gathered(bytes())}`.trim())
  }
  return found
}

test('a folder goes before what is in it, entries sorted, symlinks as they are, hidden ones left out', async t => {
  t.deepEqual(await sent(['dir'], { cwd: await tree(t) }), [
    'directory dir',
    'file dir/a b&c.txt abc',
    'file dir/b.log b',
    'symlink dir/link b.log',
    'directory dir/sub',
    'file dir/sub/b.log bb',
    'directory dir/sub/deep',
    'file dir/sub/deep/x x'
  ])
})

test('hidden entries are taken when asked for, and always when they are named', async t => {
  const cwd = await tree(t)
  const all = await sent(['dir'], { cwd, hidden: true })
  t.true(all.includes('file dir/.hidden h'))
  t.true(all.includes('file dir/.git/head g'))
  t.deepEqual(await sent(['dir/.hidden'], { cwd }), ['file .hidden h'])
})

test('what patterns name is left out, with all below it', async t => {
  const cwd = await tree(t)
  t.deepEqual(await sent(['dir'], { cwd, patterns: ['*.log', 'deep/', 'link'] }), [
    'directory dir',
    'file dir/a b&c.txt abc',
    'directory dir/sub'
  ])
  t.deepEqual(await sent(['dir'], { cwd, patterns: ['sub/*', '!sub/deep', '*.txt'] }), [
    'directory dir',
    'file dir/b.log b',
    'symlink dir/link b.log',
    'directory dir/sub',
    'directory dir/sub/deep',
    'file dir/sub/deep/x x'
  ])
  await writeFile(join(cwd, 'rules'), '# comment\n\n*.log\r\nsub\n')
  t.deepEqual(await sent(['dir'], { cwd, file: join(cwd, 'rules'), patterns: ['link'] }), ['directory dir', 'file dir/a b&c.txt abc'])
  await t.throwsAsync(sent(['dir'], { cwd, file: join(cwd, 'none') }), { code: 'E_FILE_UNREADABLE' })
})

test("the node's own repo is not sent, by whichever links it is reached, and is left out where that is asked for", async t => {
  const cwd = await tree(t)
  const repo = join(cwd, 'dir/sub')
  for (const word of ['dir', 'dir/sub', 'way/../dir', 'way/sub']) {
    const refused = await t.throwsAsync(sent([word], { cwd, repo }), { code: 'E_FOLDER_REPO' }, word)
    t.regex(refused!.message, /\/sub is this node's repo.*private key.*--ignore/)
  }
  t.false((await sent(['dir'], { cwd, repo, patterns: ['sub'] })).join().includes('sub'))
  t.deepEqual(await sent(['dir/sub/deep'], { cwd, repo: join(cwd, 'none') }), ['directory deep', 'file deep/x x'])
})

test('files that were named keep their last names, sorted', async t => {
  const cwd = await tree(t)
  t.deepEqual(await sent(['z.txt', 'dir/b.log', './dir/sub/../sub/deep/x'], { cwd }), ['file b.log b', 'file x x', 'file z.txt zz'])
})

test('a folder can be named by a dot', async t => {
  const cwd = await tree(t)
  t.is((await sent(['.'], { cwd: join(cwd, 'dir', 'sub') }))[0], 'directory sub')
  t.is((await sent(['..'], { cwd: join(cwd, 'dir', 'sub') }))[0], 'directory dir')
})

test('a symlink that was named is sent as one, or stands for what it leads to', async t => {
  const cwd = await tree(t)
  t.deepEqual(await sent(['way'], { cwd }), ['symlink way dir'])
  t.is((await sent(['way'], { cwd, dereference: true }))[0], 'directory dir')
  t.true((await sent(['way'], { cwd, dereference: true })).includes('symlink dir/link b.log'), 'those in it stay')
})

test('standard input has no name, or the one it is given, and is read once', async t => {
  const cwd = await tree(t)
  t.deepEqual(await sent(['-'], { cwd }), ['file  from stdin'])
  t.deepEqual(await sent(['z.txt', '-'], { cwd, stdinName: 'in.txt' }), ['file in.txt from stdin', 'file z.txt zz'])
  await t.throwsAsync(sent(['-', '-'], { cwd }), { code: 'E_STDIN_TWICE' })
})

test('folders are refused where they are not taken, files where there are none', async t => {
  const cwd = await tree(t)
  await t.throwsAsync(sent(['dir'], { cwd, recursive: false }), {
    message: "'dir' is a directory, use the '-r' flag to specify directories"
  })
  await t.throwsAsync(sent(['dir'], { cwd, folders: false }), {
    message: "invalid path 'dir', argument 'path' does not support directories"
  })
  await t.throwsAsync(sent(['none'], { cwd }), { message: "cannot read 'none': no such file or directory" })
})

test('an upload is a multipart body: types, names escaped, the path of this machine', async t => {
  const cwd = await tree(t)
  const source = await filesOf(['dir'], {
    argument: 'path',
    folders: true,
    recursive: true,
    dereference: false,
    stdinName: '',
    rules: await rulesOf({ hidden: false, patterns: ['sub', 'b.log'], file: undefined }),
    cwd,
    stdin: async function* () {}
  })
  let told = 0
  const multipart = new Multipart(partsOf(source, bytes => (told += bytes)))
  const boundary = /^multipart\/form-data; boundary=(holdfast-[0-9a-f]{36})$/.exec(multipart.contentType)![1]!
  const text = (await gathered(multipart.stream())).toString().replaceAll(boundary, 'B').replaceAll(cwd, 'CWD')
  const part = (filename: string, type: string, fieldsAndBody: string) =>
    `--B\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: application/${type}\r\n${fieldsAndBody}`
  t.is(
    text,
    [
      part('dir', 'x-directory', 'Abspath: CWD/dir\r\n\r\n'),
      part('dir%2Fa%20b%26c.txt', 'octet-stream', 'Abspath: CWD/dir/a b&c.txt\r\n\r\nabc'),
      part('dir%2Flink', 'symlink', '\r\nb.log'),
      '--B--\r\n'
    ].join('\r\n')
  )
  t.is(told, 3)
})

test('files come whole, whether they are read at once or in pieces', async t => {
  const cwd = await temporaryFolder(t)
  await mkdir(join(cwd, 'dir'))
  const sizes = [3, 0, 1, 65_535, 65_536, 65_537, 300_000, 2, 0]
  for (const [i, size] of sizes.entries()) await writeFile(join(cwd, 'dir', `${i}`), Buffer.alloc(size, `${i}`))
  t.deepEqual(await sent(['dir'], { cwd }), ['directory dir', ...sizes.map((size, i) => `file dir/${i} ${`${i}`.repeat(size)}`.trim())])
})

// /proc is Linux' own
const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('a file without a size, and a pipe, are read to their end behind a small file', async t => {
  const cwd = await temporaryFolder(t)
  await writeFile(join(cwd, 'a'), 'small')
  await promisify(execFile)('mkfifo', [join(cwd, 'pipe')])
  const written = promisify(execFile)('sh', ['-c', 'printf piped > pipe'], { cwd })
  const found = await sent(['a', 'pipe', '/proc/version'], { cwd })
  await written
  t.deepEqual(found.slice(0, 2), ['file a small', 'file pipe piped'])
  t.regex(found[2]!, /^file version Linux version /)
})

test('a file that vanishes before its turn is named', async t => {
  const cwd = await temporaryFolder(t)
  await mkdir(join(cwd, 'dir'))
  for (const name of ['a', 'b', 'c']) await writeFile(join(cwd, 'dir', name), name)
  const rules = { takes: () => true }
  const source = await filesOf(['dir'], {
    ...{ argument: 'path', folders: true, recursive: true, dereference: false, stdinName: '', rules, cwd },
    async *stdin() {}
  })
  await t.throwsAsync(
    async () => {
      for await (const { path, bytes } of source.entries()) {
        await gathered(bytes())
        if (path === 'dir/a') await rm(join(cwd, 'dir', 'c'))
      }
    },
    { message: /^cannot read '.*\/dir\/c': .*no such file or directory/ }
  )
})

test('one name from two folders is refused as the reference refuses it, and what is named twice is sent once', async t => {
  const cwd = await tree(t)
  await mkdir(join(cwd, 'other', 'sub'), { recursive: true })
  await writeFile(join(cwd, 'other', 'b.log'), 'other')
  for (const [words, name, folder, before] of [
    [['dir/b.log', 'other/b.log'], 'b.log', 'other', 'dir'],
    [['dir/sub', 'other/sub/'], 'sub', 'other', 'dir'],
    [['dir/b.log', 'z.txt', 'dir/sub/b.log'], 'b.log', 'dir/sub', 'dir'],
    [['dir/b.log', join(cwd, 'dir/b.log')], 'b.log', join(cwd, 'dir'), 'dir']
  ] as const)
    await t.throwsAsync(sent(words, { cwd }), {
      message: `file name ${name} repeated under different import directories: ${folder} and ${before}`
    })
  const once = ['file b.log b']
  for (const words of [
    ['dir/b.log', 'dir/b.log'],
    ['dir/b.log', './dir/b.log', 'dir/sub/../b.log']
  ])
    t.deepEqual(await sent(words, { cwd }), once)
  t.deepEqual(await sent(['-', 'dir/b.log'], { cwd, stdinName: 'b.log' }), ['file b.log from stdin', 'file b.log b'])
})

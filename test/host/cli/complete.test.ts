import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { commandLine } from '../../helpers/command-line.ts'
import { startDaemon } from '../../helpers/daemon.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

const hello = fileURLToPath(new URL('../../../examples/hello.js', import.meta.url))

/** What a shell is offered behind these words. */
async function offered(words: readonly string[], { before = [], cwd }: { before?: readonly string[]; cwd?: string } = {}) {
  const { code, out, err } = await commandLine([...before, '__complete', '--', ...words], { cwd: cwd ?? '/' })
  if (code !== 0) throw new Error(err)
  return out
    .split('\n')
    .slice(0, -1)
    .map(line => line.split('\t')[0]!)
}

test('words of commands are completed, level by level', async t => {
  t.true((await offered([''])).includes('pin'))
  t.deepEqual(await offered(['pi']), ['pin'])
  t.deepEqual(await offered(['pin', '']), ['add', 'ls', 'rm', 'update', 'verify'])
  t.deepEqual(await offered(['--offline', 'pin', 'u']), ['update'])
  t.false((await offered([''])).includes('__complete'))
})

test('options are completed with all their names, and the other way round where they are on by default', async t => {
  t.deepEqual(await offered(['pin', 'ls', '--q']), ['--quiet'])
  t.deepEqual(await offered(['pin', 'rm', '--no-r']), ['--no-recursive'])
  t.true((await offered(['pin', 'ls', '-'])).includes('-q'))
  t.deepEqual(await offered(['pin', 'ls', '--', '-']), [])
})

test('values of options are completed, behind a space and behind a sign', async t => {
  t.deepEqual(await offered(['pin', 'ls', '--type', '']), ['direct', 'indirect', 'recursive', 'all'])
  t.deepEqual(await offered(['pin', 'ls', '-t', 'di']), ['direct'])
  t.deepEqual(await offered(['pin', 'ls', '--type=di']), ['--type=direct'])
  t.deepEqual(await offered(['add', '--hash', 'sha2-5']), ['sha2-512'])
  t.deepEqual(await offered(['cat', '--cid-base', 'base36']), ['base36', 'base36upper'])
  t.deepEqual(await offered(['dag', 'put', '--store-codec', 'dag-j']), ['dag-jose', 'dag-json'])
  const split = await commandLine(['__complete', '--split', '--', 'pin', 'ls', '--type', '=', 'di'], { cwd: '/' })
  t.is(split.out, 'direct\t\n')
})

test('where a file may stand nothing is offered, so that the shell offers files', async t => {
  t.deepEqual(await offered(['add', '']), [])
  t.deepEqual(await offered(['add', '-r', 'x']), [])
})

test("a third party's commands and options are completed as well", async t => {
  const cwd = await temporaryFolder(t)
  await writeFile(join(cwd, 'holdfast.config.json'), JSON.stringify({ plugins: { [hello]: 'on' } }))
  t.deepEqual(await offered(['hell'], { cwd }), ['hello'])
  t.deepEqual(await offered(['hello', '--l'], { cwd }).then(list => list.filter(one => one !== '--local')), ['--loud'])
})

test('a running node tells what is pinned', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  const before = ['--repo', repo]
  const { out } = await commandLine([...before, 'add', '-q'], { stdin: 'hello\n' })
  const pinned = await offered(['pin', 'rm', ''], { before })
  t.true(pinned.includes(out.trim()))
  t.deepEqual(await offered(['pin', 'rm', 'QmZUL'], { before }), [out.trim()])
  t.deepEqual(await offered(['pin', 'update', 'QmZUL'], { before }), [out.trim()])
  await daemon.stop()
  t.deepEqual(await offered(['pin', 'rm', ''], { before }), [], 'without a node there is nobody to ask')
})

test('each shell has a script, and another is refused with the names of those', async t => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, out } = await commandLine(['completion', shell], { cwd: '/' })
    t.is(code, 0)
    t.regex(out, /__complete/)
  }
  const { code, err } = await commandLine(['completion', 'tcsh'], { cwd: '/' })
  t.is(code, 1)
  t.regex(err, /one of bash, zsh, fish/)
})

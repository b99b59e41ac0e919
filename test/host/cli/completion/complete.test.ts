import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { command, type Format, nothing, p } from '../../../../core/index.ts'
import { isCompletable } from '../../../../host/cli/completion/completable.ts'
import { complete } from '../../../../host/cli/completion/complete.ts'
import { anyShell } from '../../../../host/cli/completion/shells.ts'
import { KnownCommands } from '../../../../host/cli/line/known-commands.ts'
import { programs } from '../../../../host/cli/programs/index.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { named, pluginIn } from '../../../helpers/plugin.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { startDaemon } from '../../../helpers/process/daemon.ts'
import { trustFolder } from '../../../helpers/process/user-folders.ts'

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
  t.deepEqual(await offered(['pi']), ['pin', 'ping'])
  t.deepEqual(await offered(['pin', '']), ['add', 'ls', 'remote', 'rm', 'update', 'verify'])
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
  const hello = await pluginIn(cwd, new URL('../../../../examples/hello.js', import.meta.url))
  await writeFile(join(cwd, 'holdfast.config.json'), JSON.stringify({ plugins: { [hello]: 'on' } }))
  await trustFolder(cwd)
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

test('paths of the mutable tree are completed one directory after the other', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  const before = ['--repo', repo]
  await commandLine([...before, 'files', 'write', '--create', '--parents', '/site/index.html', '-'], { stdin: 'hello\n' })
  t.deepEqual(await offered(['files', 'read', ''], { before }), ['/site/'])
  t.deepEqual(await offered(['files', 'read', '/site/in'], { before }), ['/site/index.html'])
  t.deepEqual(await offered(['files', 'cp', '/nowhere/'], { before }), [])
  for (const verb of ['cp', 'mv']) t.deepEqual(await offered(['files', verb, '/site/index.html', '/si'], { before }), ['/site/'])
  await daemon.stop()
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

test('a shell that does not say which it is gets nothing that would have to be quoted', async t => {
  const quoted = named('quoted', {
    commands: [
      command.read('quoted/say', {
        help: 'Has\ta \x1b[2Jhelp.',
        args: { what: p.string('').oneOf('plain', 'two words', '$(touch pwned)', 'a\x1b[2J', '-dash') },
        reply: nothing(),
        run() {}
      })
    ]
  })
  const loaded = { configuration: {}, file: undefined, folder: '/' }
  const commands = new KnownCommands(
    loaded,
    { loaded: [{ plugin: quoted, from: '', keys: ['quoted'], settings: undefined }], notLoaded: [] },
    programs
  )
  const candidates = await complete(['quoted', 'say', ''], commands, async () => [])
  t.deepEqual(
    candidates.map(({ value }) => value),
    ['plain', 'two words', '$(touch pwned)']
  )
  const question = anyShell(false).question(['quoted', 'say', ''])!
  t.deepEqual(
    candidates.map(candidate => question.offer(candidate)),
    ['plain\t', undefined, undefined]
  )
  t.deepEqual(await complete(['quoted', ''], commands, async () => []), [{ value: 'say', about: 'Has\\ta \\x1b[2Jhelp.' }])
})

test('values of a node are offered where they are what they should be', async t => {
  const cid = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
  const kept = async (format: Format, ...values: unknown[]) => {
    const fits = await Promise.all(values.map(value => isCompletable(value, format)))
    return values.filter((_, i) => fits[i])
  }
  t.deepEqual(await kept('cid', cid, `${cid}x`, 'a b', '', 5, undefined), [cid])
  t.deepEqual(await kept('content-path', cid, `/ipfs/${cid}/a b`, '/ipns/k51.example', '$(x)', '/etc/passwd', `${cid}/\n`), [
    cid,
    `/ipfs/${cid}/a b`,
    '/ipns/k51.example'
  ])
  t.deepEqual(await kept('name', 'a b', '$(x)', 'a\nb', '\u202ea', 'x'.repeat(1025), ['a']), ['a b', '$(x)'])
  t.deepEqual(await kept('multiaddr', '/ip4/127.0.0.1', 'x'), ['/ip4/127.0.0.1'])
  t.deepEqual(await kept('peer-id', cid, 'not an ID'), [cid])
})

/** Commands that say what a new repo is made of. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { command, nothing } from '../../../../core/index.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { pluginIn } from '../../../helpers/plugin.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'

test('a repo is made as the command says where there is none, and is worked on where there is one', async t => {
  const folder = await temporaryFolder(t)
  const plugin = await pluginIn(folder, new URL('../support/founder.js', import.meta.url))
  const config = join(folder, 'holdfast.config.json')
  await writeFile(config, JSON.stringify({ plugins: { [plugin]: 'on' } }))
  const repo = join(folder, 'repo')
  const found = (...words: string[]) =>
    commandLine(['found', ...words, '--repo', repo, '--config', config, '--encoding=json'], { cwd: folder })
  const failed = await found('--fail')
  t.deepEqual([failed.code, failed.err], [1, `Error: not in ${repo}\n`])
  await t.throwsAsync(stat(repo), { code: 'ENOENT' })
  t.is((await found()).out, '{"New":true,"Max":"3GB"}\n')
  t.is(JSON.parse(await readFile(join(repo, 'config'), 'utf8')).Datastore.StorageMax, '3GB')
  t.is((await found('--fail')).out, '{"New":false,"Max":"3GB"}\n')
})

test('a command that is served over HTTP too cannot say what a new repo is made of', t => {
  const declaration = { help: 'A.', reply: nothing(), newRepo: async () => ({}), run() {} } as const
  t.throws(() => command.admin('a', declaration), { instanceOf: TypeError, message: /newRepo says nothing/ })
  t.notThrows(() => command.admin('a', { ...declaration, local: true }))
})

test('a daemon refuses flags that nothing can work with before anything is started', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  for (const [flag, value, told] of [
    ['--api', 'junk', /cannot listen on 'junk'/],
    ['--api', '/ip4/127.0.0.1/udp/1', /it is no TCP or Unix address/],
    ['--gateway', 'junk', /Addresses\.Gateway is "junk"/],
    ['--routing', 'junk', /Routing\.Type is "junk"/]
  ] as const) {
    const { code, err } = await commandLine(['--repo', repo, 'daemon', '--init', '--offline', flag, value])
    t.is(code, 1, `${flag} ${value}`)
    t.regex(err, told)
    await t.throwsAsync(stat(repo), { code: 'ENOENT' })
  }
})

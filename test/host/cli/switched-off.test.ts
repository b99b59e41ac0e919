/** Commands that are switched off are neither listed nor completed, and calling one says why. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { commandLine } from '../../helpers/process/command-line.ts'
import { launchDaemon } from '../../helpers/process/daemon.ts'
import { trustFolder } from '../../helpers/process/user-folders.ts'

async function folderWith(t: ExecutionContext, configuration: object): Promise<string> {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'holdfast.config.json'), JSON.stringify({ repo: './repo', ...configuration }))
  await trustFolder(folder)
  return folder
}

test('help leaves out what is off, and says of a plugin that is off why', async t => {
  const cwd = await folderWith(t, { plugins: { cid: 'off' }, commands: { 'pin/**': 'off', 'pin/ls': 'on' } })
  const { out } = await commandLine(['--help'], { cwd })
  t.true(out.includes('pin ls'))
  t.false(out.includes('pin add'))
  t.false(out.includes('cid base32'))
  t.regex(out, /\(off: plugins: \{ cid: off \} in .*holdfast\.config\.json\)/)
  const { out: group } = await commandLine(['pin', '--help'], { cwd })
  t.true(group.includes('ls'))
  t.false(group.includes('verify'))
})

test('the help of a command, or of a group, that is off says so, and which setting did it', async t => {
  const cwd = await folderWith(t, { plugins: { dag: 'off' }, commands: { 'cid/base32': 'off', 'repo/**': 'off' } })
  const helpOf = async (...words: string[]) => (await commandLine([...words, '--help'], { cwd })).out
  const section = (text: string) => /\nSWITCHED OFF\n((?: {2}.*\n)+)/.exec(text)?.[1]
  t.regex(section(await helpOf('cid', 'base32'))!, /^ {2}commands: \{ "cid\/base32": off \} in \/.*holdfast\.config\.json\n$/)
  t.regex(section(await helpOf('dag', 'get'))!, /^ {2}plugins: \{ dag: off \} in /)
  t.regex(section(await helpOf('dag'))!, /^ {2}plugins: \{ dag: off \} in /)
  t.regex(section((await commandLine(['help', 'repo', 'stat'], { cwd })).out)!, /"repo\/\*\*": off/)
  for (const words of [['cid', 'format'], ['cid'], ['daemon']]) t.is(section(await helpOf(...words)), undefined, words.join(' '))
})

test('completion does not offer it', async t => {
  const cwd = await folderWith(t, { commands: { 'pin/**': 'off', 'pin/ls': 'on', 'stats/**': 'off' } })
  const offered = async (...words: string[]) => (await commandLine(['__complete', '--', ...words], { cwd })).out
  const below = await offered('pin', '')
  t.true(below.includes('ls'))
  t.false(below.includes('add'))
  t.false((await offered('stat')).includes('stats'))
})

test('who calls it is told which setting decided', async t => {
  const cwd = await folderWith(t, { commands: { 'cid/base32': 'off' } })
  const { code, err } = await commandLine(['cid', 'base32', 'x'], { cwd })
  t.is(code, 1)
  t.regex(err, /commands: \{ "cid\/base32": off \}/)
})

test('a command for beside a terminal runs beside a node that holds the repo', async t => {
  const cwd = await folderWith(t, {})
  const launched = launchDaemon(join(cwd, 'repo'))
  t.teardown(() => launched.kill())
  await launched.ready
  const { code, out, err } = await commandLine(['commands', 'completion', 'bash'], { cwd })
  t.is(err, '')
  t.is(code, 0)
  t.true(out.includes('complete'))
})

test('the help of a command that one plugin has, and of which another says that it is gone, is that of the one that is on', async t => {
  const helpOf = async (configuration: object) => {
    const { out } = await commandLine(['object', 'get', '--help'], { cwd: await folderWith(t, configuration) })
    return out
  }
  t.regex(await helpOf({}), /Removed: use 'ipfs dag' or 'ipfs files' instead/)
  t.regex(await helpOf({ plugins: { older: 'on' } }), /Show an object: its links and its data/)
})

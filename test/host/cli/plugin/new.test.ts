/** What `holdfast plugin new` writes, as a stranger who has the packed program gets it. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { packedProject } from '../../../helpers/process/packed.ts'

test('a new package builds, lints, passes its test and the check', async t => {
  const project = await packedProject()
  t.teardown(() => project.remove())
  const { holdfast } = project
  t.regex(await project.run(process.execPath, [holdfast, 'plugin', 'new', 'acme-audit']), /\nnpm test\n/)
  const folder = join(project.folder, 'holdfast-plugin-acme-audit')
  t.false((await readFile(join(folder, 'src', 'index.ts'), 'utf8')).toLowerCase().includes('starter'))
  await project.run('tsc', ['-p', '.'], folder)
  await project.run('biome', ['check', '.'], folder)
  t.regex(await project.run(process.execPath, ['--test', '--test-reporter=tap', 'dist/test/index.test.js'], folder), /^# pass 2$/m)
  t.is(await project.run(process.execPath, [holdfast, 'plugin', 'check'], folder), 'Nothing a host would refuse.\n')
})

test('a name that is none, a built-in, and a folder that is not empty are refused', async t => {
  const cwd = await temporaryFolder(t)
  const refused = async (name: string) => {
    const { code, err } = await commandLine(['plugin', 'new', name], { cwd })
    t.is(code, 1)
    return err
  }
  t.regex(await refused('Acme'), /'Acme' is no name of a plugin/)
  t.regex(await refused('pins'), /'pins' is the name of a built-in plugin/)
  t.is((await commandLine(['plugin', 'new', 'holdfast-plugin-mine'], { cwd })).code, 0)
  await writeFile(join(cwd, 'holdfast-plugin-mine', 'src', 'index.ts'), 'mine')
  t.regex(await refused('mine'), /holdfast-plugin-mine is not empty: nothing is written there/)
  t.is(await readFile(join(cwd, 'holdfast-plugin-mine', 'src', 'index.ts'), 'utf8'), 'mine')
})

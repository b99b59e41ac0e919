/** The command line's way back from a database that does not open. */
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'

test('a node that does not start names the salvage, which brings back pins and the mutable tree', async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const holdfast = (...words: string[]) => commandLine(['--repo', repo, ...words], { cwd: folder })
  t.is((await holdfast('init')).code, 0)
  await writeFile(join(folder, 'large'), Buffer.alloc(700_000, 'abc'))
  const added = await holdfast('add', '-Q', 'large')
  t.is(added.code, 0, added.err)
  t.is((await holdfast('files', 'cp', `/ipfs/${added.out.trim()}`, '/kept')).code, 0)

  await rm(join(repo, 'db/CURRENT'))
  const refused = await holdfast('files', 'ls')
  t.is(refused.code, 1)
  t.regex(refused.err, /CURRENT.*'holdfast repo salvage'/)

  const salvaged = await holdfast('repo', 'salvage', '--json')
  t.is(salvaged.code, 0, salvaged.err)
  const lines = salvaged.out
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).Message)
  t.is(lines.at(-1), 'nothing is missing of what pins and the mutable tree keep')
  t.is((await holdfast('files', 'ls')).out, 'kept\n')
  t.true((await holdfast('pin', 'ls', '--type', 'recursive')).out.includes(added.out.trim()))
  t.is((await readdir(repo)).filter(name => name.startsWith('db.before-')).length, 1)
})

test('a salvage without anything of the database says that pins and names are lost', async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const holdfast = (...words: string[]) => commandLine(['--repo', repo, ...words], { cwd: folder })
  t.is((await holdfast('init')).code, 0)
  await rm(join(repo, 'db'), { recursive: true })
  await rm(join(repo, 'journal'), { recursive: true })
  const salvaged = await holdfast('repo', 'salvage')
  t.regex(salvaged.out, /pins, names and the mutable tree are lost/)
  t.is(salvaged.code, 1)
  const kept = await holdfast('refs', 'local')
  const refused = await holdfast('repo', 'gc')
  t.is(refused.code, 1)
  t.regex(refused.err, /pins may have been lost .*holdfast repo salvage --complete/)
  t.is((await holdfast('refs', 'local')).out, kept.out)
  t.is((await holdfast('repo', 'salvage', '--complete')).code, 0)
  t.is((await holdfast('repo', 'gc')).code, 0)
  t.notRegex(salvaged.out, /missing of what pins/)
})

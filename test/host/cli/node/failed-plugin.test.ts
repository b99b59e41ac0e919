/** A repo that one of the node's own plugins does not start with. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'

test('a command that needs no plugin but the repo’s own runs, the others name the plugin, and all run once it can start', async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const keystore = join(repo, 'keystore')
  const holdfast = (...words: string[]) => commandLine(['--repo', repo, ...words], { cwd: folder })
  t.is((await holdfast('init')).code, 0)
  await writeFile(keystore, 'not a folder')

  const shown = await holdfast('config', 'show')
  t.is(shown.code, 0, shown.err)
  t.truthy(JSON.parse(shown.out).Identity)
  const [said, remedy, ...more] = shown.err.split('\n')
  t.is(
    said,
    `The plugin 'keys' did not start and is off for this command: cannot read ${keystore}: ENOTDIR: not a directory, scandir '${keystore}'`
  )
  t.is(remedy, `Where a setting of the node is why: it stands in ${join(repo, 'config')}. Mend it: holdfast config KEY VALUE`)
  t.deepEqual(more, [''])
  t.is((await holdfast('config', '--json', 'Gateway.NoFetch', 'true')).code, 0)
  t.is((await holdfast('version', '-n')).code, 0)
  t.is((await holdfast('cid', 'base32', 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN')).code, 0)

  for (const words of [
    ['name', 'publish', '/ipfs/QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN'],
    ['repo', 'gc'],
    ['daemon', '--offline']
  ]) {
    const refused = await holdfast(...words)
    t.is(refused.code, 1, words.join(' '))
    t.regex(
      refused.err,
      /^Error: plugin 'keys' \(built-in\) failed to start: cannot read .*\nWhere a setting of the node is why: it stands in .*config KEY VALUE\n$/
    )
  }

  await rm(keystore)
  const after = await holdfast('config', 'show')
  t.deepEqual([after.code, after.err], [0, ''])
  t.true((await readFile(join(repo, 'config'), 'utf8')).includes('PrivKey'))
})

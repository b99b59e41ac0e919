/** A value of the node configuration that a plugin does not start with. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'

const BAD: ReadonlyArray<readonly [key: string, value: string[]]> = [['DNS.Resolvers', ['--json', '{"x":"notaurl"}']]]

for (const [key, value] of BAD) {
  test(`a command that needs no plugin but the repo's own runs, and mends ${key}`, async t => {
    const folder = await temporaryFolder(t)
    const repo = join(folder, 'repo')
    const holdfast = (...words: string[]) => commandLine(['--repo', repo, ...words], { cwd: folder })
    t.is((await holdfast('init')).code, 0)
    const [flags, valueWords] = value[0] === '--json' ? [['--json'], value.slice(1)] : [[], value]
    t.is((await holdfast('config', ...flags, key, ...valueWords)).code, 0)

    const shown = await holdfast('config', 'show')
    t.is(shown.code, 0, shown.err)
    t.truthy(JSON.parse(shown.out).Identity)
    const [said, remedy, ...more] = shown.err.split('\n')
    t.regex(said!, new RegExp(`^The plugin 'name' did not start and is off for this command: .*${key}`, 'i'))
    t.is(remedy, `Where a setting of the node is why: it stands in ${join(repo, 'config')}. Mend it: holdfast config KEY VALUE`)
    t.deepEqual(more, [''])
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
        /^Error: plugin 'name' \(built-in\) failed to start: .*\nWhere a setting of the node is why: it stands in .*config KEY VALUE\n$/
      )
      t.regex(refused.err, new RegExp(key, 'i'))
    }

    const mended = await holdfast('config', '--json', key, '{}')
    t.is(mended.code, 0, mended.err)
    const after = await holdfast('config', 'show')
    t.deepEqual([after.code, after.err], [0, ''])
    t.true((await readFile(join(repo, 'config'), 'utf8')).includes('PrivKey'))
  })
}

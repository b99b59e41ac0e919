import { join } from 'node:path'
import test from 'ava'
import { commandLine } from '../../helpers/command-line.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

test('the configuration is shown and set without a node that runs', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const run = (...words: string[]) => commandLine(['--repo', repo, ...words])
  t.is((await run('init')).code, 0)
  t.is((await run('config', 'Datastore.StorageMax', '20GB')).out, '')
  t.is((await run('config', 'Datastore.StorageMax')).out, '20GB\n')
  t.is((await run('config', '--json', 'Datastore.StorageGCWatermark', '80')).code, 0)
  t.true((await run('config', 'show')).out.includes('"StorageGCWatermark": 80'))
  const refused = await run('config', 'Nope')
  t.deepEqual([refused.code, refused.err.split('\n')[0]], [1, 'Error: failed to get config value: "Nope not found"'])
})

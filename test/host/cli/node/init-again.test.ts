/** `init` where there is a repo. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'

test('init on a repo that is there says so before anything else, and leaves it as it is', async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const init = () => commandLine(['--repo', repo, 'init'], { cwd: folder })
  t.is((await init()).code, 0)
  const before = await readFile(join(repo, 'config'), 'utf8')
  const { code, out, err } = await init()
  t.deepEqual([code, out], [1, ''])
  t.is(err, `Error: ipfs configuration file already exists!\nReinitializing would overwrite your keys: there is a repo in ${repo}\n`)
  t.is(await readFile(join(repo, 'config'), 'utf8'), before)
})

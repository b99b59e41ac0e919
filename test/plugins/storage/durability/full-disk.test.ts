import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { openRocks } from '../backends.ts'
import { sample } from '../samples.ts'

const child = fileURLToPath(new URL('./full-disk-child.js', import.meta.url))
/** In a shell, a limit on the size of any file stands for a disk that is full; what the limit is counted in differs by shell. */
const LIMIT = "trap '' XFSZ; ulimit -f 4096; exec"

test('when the system refuses a write, the caller is told and all that was acknowledged before stays', async t => {
  const repo = await temporaryFolder(t)
  const { stdout } = await promisify(execFile)('sh', ['-c', `${LIMIT} "${process.execPath}" "${child}" "${repo}"`])
  const { stored, refused, tooLarge, readable } = JSON.parse(stdout)
  t.regex(refused, /^storage-rocksdb: the database refused a write: .*too large/i)
  t.regex(tooLarge, /^storage-rocksdb: .*EFBIG/)
  t.true(readable, 'reads go on')
  t.true(stored > 100)
  const files = await readdir(join(repo, 'blocks'), { recursive: true, withFileTypes: true })
  t.deepEqual(
    files
      .filter(entry => entry.isFile())
      .map(({ name }) => name)
      .sort(),
    ['.database', 'SHARDING'],
    'nothing is left of the file that could not be written'
  )
  const { storage, blocks } = await openRocks(repo)
  for (let i = 0; i < stored; i++) {
    const { multihash, bytes } = sample(i, 1000)
    if (Buffer.compare((await blocks.getBytes(multihash)) ?? Buffer.of(), bytes) !== 0) t.fail(`block ${i} of ${stored}`)
  }
  await storage.close()
})

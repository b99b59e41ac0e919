import fs from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import test from 'ava'
import { thisProcess } from '../../../../core/repo/owner.ts'
import { acquireLock } from '../../../../plugins/repo/lock.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'

/** As on a file system without hard links. */
fs.promises.link = () => Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' }))
const { copyFile } = fs.promises
syncBuiltinESMExports()

test.serial('where files cannot be linked, a claim that is being written is not taken for a dead one', async t => {
  const file = join(await temporaryFolder(t), 'repo.lock')
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  fs.promises.copyFile = async (from, to, mode) => {
    fs.promises.copyFile = copyFile
    syncBuiltinESMExports()
    await writeFile(to, '', { flag: 'wx' })
    begun.resolve()
    await goOn.promise
    fs.rmSync(to)
    await copyFile(from, to, mode)
  }
  syncBuiltinESMExports()
  const first = acquireLock(file)
  await begun.promise
  const second = await acquireLock(file)
  goOn.resolve()
  await t.throwsAsync(first, { code: 'E_REPO_LOCKED' })
  await second.release()
})

test.serial('where files cannot be linked, of many takers at once exactly one gets a dead lock, and leaves nothing behind', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'repo.lock')
  const gone = { ...(await thisProcess()), started: '1' }
  for (let round = 0; round < 20; round++) {
    if (round % 2 === 0) await writeFile(file, JSON.stringify({ ...gone, nonce: `a${round.toString(16)}` }))
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => acquireLock(file)))
    const held = results.filter(result => result.status === 'fulfilled')
    t.is(held.length, 1)
    await t.throwsAsync(acquireLock(file), { code: 'E_REPO_LOCKED' })
    await held[0]!.value.release()
    t.deepEqual(await readdir(folder), [])
  }
})

import fs from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { Database, intercept, openRocks } from '../disk.ts'
import { bytesOf, put } from './entries.ts'

for (const kind of ['new', 'of an older format'])
  test.serial(`a repo that is ${kind} says in RocksDB itself that there is a journal, before anything else is in that`, async t => {
    const repo = join(await temporaryFolder(t), 'repo')
    if (kind !== 'new') {
      const before = await openRocks(repo)
      await before.storage.database.write([put('format', new Uint8Array([2]), 'state')])
      await before.storage.close()
      await rm(join(repo, 'journal'), { recursive: true })
    }
    const copy = join(await temporaryFolder(t), 'db')
    // Its name reaches the disk once the format is written.
    const restore = intercept('open', (path, call) => {
      if (path === repo && fs.existsSync(join(repo, 'segments'))) fs.cpSync(join(repo, 'db'), copy, { recursive: true, force: true })
      return call()
    })
    const { storage } = await openRocks(repo)
    restore()
    t.teardown(() => storage.close())
    const alone = new Database(copy, { writeBuffer: 1 << 20 })
    await alone.open()
    t.deepEqual(await alone.get('state', bytesOf('format')), new Uint8Array([3]))
    await alone.close()
  })

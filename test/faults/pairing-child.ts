/**
 * Does something with the repo given as its argument, as the disk below it lets it: `start` and stop a node, `salvage` the database, leave it as an
 * `older` version did, or `age` the disk by a bit of an id.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../../core/files/whole.ts'
import { createHost } from '../../host/index.ts'
import { openRocks } from '../plugins/storage/backends.ts'
import { flip } from '../plugins/storage/damage/repo.ts'
import { sample } from '../plugins/storage/samples.ts'

const [repo = '', ...steps] = process.argv.slice(2)

/** Lies in a segment. */
const large = sample(1, 9000)

async function start(salvage?: () => void): Promise<void> {
  const host = await createHost({
    repo: { path: repo, init: {}, ...(salvage && { salvage }) },
    offline: 'a test',
    configuration: { plugins: { gateway: 'off', mcp: 'off', mount: 'off', network: 'off' } as never },
    log: { level: 'silent' }
  })
  await host.start().finally(() => host.stop())
}

async function makeOlder(): Promise<void> {
  const { storage } = await openRocks(repo)
  await storage.database.writeThrough([{ family: 'state', key: new TextEncoder().encode('id'), value: undefined }])
  await storage.close()
  for (const folder of ['segments', 'blocks']) {
    await rm(join(repo, folder, '.database'))
    await syncFolder(join(repo, folder))
  }
}

for (const step of steps)
  if (step === 'start') await start()
  else if (step === 'salvage') await start(() => {})
  else if (step === 'older') await makeOlder()
  else if (step === 'age') await flip(join(repo, 'segments/.database'), 5)
  else {
    const { storage, blocks } = await openRocks(repo)
    await blocks.putBytes(large.multihash, large.bytes)
    await storage.close()
  }

/** cat of 1 GiB over HTTP against reading the files that hold it, block by block, in the same run. */
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { lastHash, oneFile, startNode } from '../support/node.ts'
import { MiB, report, seconds } from '../support/report.ts'

const size = 1024 * MiB
const BLOCK = 256 * 1024
const node = await startNode()
try {
  const root = lastHash(await node.post('add?pin=false', oneFile(size, 3)))
  let bytes = 0
  const cat = await seconds(() =>
    node.post(`cat?arg=${root}`, undefined, chunk => {
      bytes += chunk.length
    })
  )
  if (bytes !== size) throw new Error(`cat sent ${bytes} bytes`)
  const reading = await seconds(async () => {
    for (const name of await readdir(join(node.repo, 'segments'))) {
      const file = await open(join(node.repo, 'segments', name))
      const { size: length } = await file.stat()
      for (let at = 0; at < length; at += BLOCK) await file.read(Buffer.allocUnsafeSlow(BLOCK), 0, BLOCK, at)
      await file.close()
    }
  })
  report({
    name: 'cat of 1 GiB against reading its files',
    measured: size / MiB / cat,
    against: size / MiB / reading,
    unit: 'MiB/s',
    atLeast: 0.25
  })
} finally {
  await node.stop()
}

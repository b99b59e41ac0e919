/** cat of 1 GiB over HTTP against reading the same bytes as files, in the same run. */
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { oneFile, startNode } from './support/node.ts'
import { MiB, report, seconds } from './support/report.ts'

const size = 1024 * MiB
const node = await startNode()
try {
  const lines = (await node.post('add?pin=false', oneFile(size, 3))).trim().split('\n')
  const { Hash } = JSON.parse(lines.at(-1)!) as { Hash: string }
  let bytes = 0
  const cat = await seconds(() =>
    node.post(`cat?arg=${Hash}`, undefined, chunk => {
      bytes += chunk.length
    })
  )
  if (bytes !== size) throw new Error(`cat sent ${bytes} bytes`)
  const reading = await seconds(async () => {
    for (const entry of await readdir(join(node.repo, 'blocks'), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = await open(join(entry.parentPath, entry.name))
      await file.readFile()
      await file.close()
    }
  })
  report({
    name: 'cat of 1 GiB against reading its files',
    measured: size / MiB / cat,
    against: size / MiB / reading,
    unit: 'MiB/s',
    limit: 0.25,
    better: 'more'
  })
} finally {
  await node.stop()
}

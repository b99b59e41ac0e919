/**
 * Content of a gateway, each block held against its CID, against the same file as the gateway puts it together, which nobody checks; the same
 * by CARs against block by block, as of a gateway without CARs; and by how much the memory of this process grows. `node gateway-client.js [MiB]`
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openGateways } from '../../host/client/gateway/index.ts'
import { lastHash, oneFile, startNode } from '../support/node.ts'
import { MiB, report, seconds } from '../support/report.ts'

const SIZE = Number(process.argv[2] ?? 256) * MiB
const ROUNDS = 3

const node = await startNode()
try {
  const added = await node.post('add?pin=false&cid-version=1', oneFile(SIZE, 1))
  const root = lastHash(added)
  const url = (await readFile(join(node.repo, 'gateway'), 'utf8')).trim()
  const content = openGateways({ gateways: [url] })
  const withoutCars = openGateways({
    gateways: [url],
    fetch: async (to, init) => (to.includes('format=car') ? new Response(null, { status: 501 }) : fetch(to, init))
  })
  const spent = { plain: 0, checked: 0, blocks: 0 }
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 20)
  let memoryBefore = 0
  for (let round = 0; round <= ROUNDS; round++) {
    const plain = await seconds(() =>
      drained(
        (async function* () {
          yield* (await fetch(`${url}/ipfs/${root}`)).body!
        })()
      )
    )
    const checked = await seconds(() => drained(content.cat(root)))
    const blocks = await seconds(() => drained(withoutCars.cat(root)))
    // The first is for the engine to get warm.
    if (round === 0) {
      memoryBefore = process.memoryUsage().rss
      peak = memoryBefore
      continue
    }
    spent.plain += plain
    spent.checked += checked
    spent.blocks += blocks
  }
  clearInterval(watch)
  const rate = (took: number) => (ROUNDS * SIZE) / MiB / took
  const checked = { measured: rate(spent.checked), unit: 'MiB/s' }
  report({ name: `${SIZE / MiB} MiB from a gateway, checked, against unchecked`, against: rate(spent.plain), atLeast: 0.1, ...checked })
  report({ name: 'the same by CARs, against block by block', against: rate(spent.blocks), atLeast: 0.8, ...checked })
  report({
    name: 'growth of the reader at its peak against the aim',
    measured: (peak - memoryBefore) / MiB,
    against: 150,
    unit: 'MiB',
    atMost: 1
  })
} finally {
  await node.stop()
}

async function drained(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let size = 0
  for await (const piece of pieces) size += piece.length
  if (size !== SIZE) throw new Error(`${size} bytes in place of ${SIZE}`)
}

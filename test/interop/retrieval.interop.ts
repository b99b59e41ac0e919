/** Blocks come by the gateway of Kubo. */
import { createHash } from 'node:crypto'
import test from 'ava'
import { chunksOf, oneFile } from '../../bench/support/node.ts'
import { built } from './nodes/kubo.ts'
import { start } from './nodes/pairs.ts'

const SIZE = 16 << 20

function sha256(seed: number): string {
  const hash = createHash('sha256')
  for (const chunk of chunksOf(SIZE, seed)) hash.update(chunk)
  return hash.digest('hex')
}

for (const [i, version] of built().entries()) {
  for (const bitswap of ['on', 'off'] as const) {
    test.serial(`a file of 16 MiB comes whole by the gateway of Kubo ${version}, with bitswap ${bitswap}`, async t => {
      const kubo = await start(version)
      const seed = 100 + 2 * i + (bitswap === 'on' ? 0 : 1)
      const root = await kubo.add(oneFile(SIZE, seed), '&pin=false&cid-version=1')
      const ours = await start('holdfast', { plugins: { bitswap, retrieval: { gateways: [kubo.gateway] } } })
      t.deepEqual(await ours.digest(`cat?arg=${root}&timeout=60s`), { size: SIZE, sha256: sha256(seed) })
      t.deepEqual(await ours.transports(kubo), [], 'they are no peers')
      t.deepEqual(await ours.digest(`cat?arg=${root}&offline=true`), { size: SIZE, sha256: sha256(seed) })
    })
  }
}

/** A large file goes both ways over each transport. */
import { createHash } from 'node:crypto'
import test from 'ava'
import { chunksOf, oneFile } from '../../bench/support/node.ts'
import { along, eachPair, join, WAYS } from './nodes/pairs.ts'

const SIZE = 64 << 20

function sha256(seed: number): string {
  const hash = createHash('sha256')
  for (const chunk of chunksOf(SIZE, seed)) hash.update(chunk)
  return hash.digest('hex')
}

let seed = 1
eachPair((version, transport, pair) => {
  for (const way of WAYS) {
    test.serial(`64 MiB come over ${transport} ${way} Kubo ${version}`, async t => {
      const [source, sink] = along(way, await pair())
      seed++
      const root = await source.add(oneFile(SIZE, seed), '&pin=false')
      await join(sink, source, transport)
      t.deepEqual(await sink.digest(`cat?arg=${root}&timeout=40s`), { size: SIZE, sha256: sha256(seed) })
      t.deepEqual(await sink.transports(source), [transport])
    })
  }
})

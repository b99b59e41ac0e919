/** Who is killed in the middle of a fetch goes on with it after a restart, and so does who fetches from it. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import test from 'ava'
import { chunksOf, oneFile } from '../../bench/support/node.ts'
import { until } from '../helpers/until.ts'
import { built } from './nodes/kubo.ts'
import { over } from './nodes/over.ts'
import { along, join, pairOf, WAYS } from './nodes/pairs.ts'
import type { Peer } from './nodes/peer.ts'

const SIZE = 64 << 20
/** What has come when one is killed: less than the whole, as nobody reads on. */
const BEFORE = 4 << 20

function sha256(seed: number): string {
  const hash = createHash('sha256')
  for (const chunk of chunksOf(SIZE, seed)) hash.update(chunk)
  return hash.digest('hex')
}

/** A fetch of which a part has come, and which is read on when it is told to. */
async function begun(sink: Peer, root: string) {
  const response = await sink.open(`cat?arg=${root}&timeout=90s`)
  const hash = createHash('sha256')
  let size = 0
  while (size < BEFORE) {
    const chunk = response.read() as Buffer | null
    if (chunk === null) await once(response, 'readable')
    else {
      size += chunk.length
      hash.update(chunk)
    }
  }
  return async () => {
    for await (const chunk of response) hash.update(chunk as Buffer)
    return hash.digest('hex')
  }
}

const stored = async (peer: Peer) => (await peer.ask('refs/local')).split('\n').length

let seed = 300
for (const version of built()) {
  const pair = pairOf(version, over('tcp'))
  for (const way of WAYS) {
    test.serial(`a fetch ${way} Kubo ${version} goes on when who has the content is killed and comes back`, async t => {
      const [source, sink] = along(way, await pair())
      const root = await source.add(oneFile(SIZE, ++seed), '&pin=true')
      await join(sink, source, 'tcp')
      const rest = await begun(sink, root)
      await source.kill()
      await until('its loss is seen', async () => (await sink.transports(source)).length === 0)
      await source.again()
      await sink.connect(source)
      t.is(await rest(), sha256(seed))
    })

    test.serial(`a fetch ${way} Kubo ${version} takes only what is missing when who fetches is killed and comes back`, async t => {
      const [source, sink] = along(way, await pair())
      const root = await source.add(oneFile(SIZE, ++seed), '&pin=true')
      await join(sink, source, 'tcp')
      const before = await stored(sink)
      const rest = await begun(sink, root)
      await sink.kill()
      await t.throwsAsync(rest())
      await sink.again()
      const kept = (await stored(sink)) - before
      t.true(kept > 0)
      await sink.connect(source)
      await sink.ask(`pin/add?arg=${root}&timeout=60s`)
      const { BlocksReceived, DupBlksReceived } = await sink.json<{ BlocksReceived: number; DupBlksReceived: number }>('bitswap/stat')
      t.is(BlocksReceived - DupBlksReceived, (await stored(sink)) - before - kept)
      t.is((await sink.digest(`cat?arg=${root}&offline=true`)).sha256, sha256(seed))
    })
  }
}

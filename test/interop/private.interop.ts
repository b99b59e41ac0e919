/** Nodes of a private network meet each other, and nobody else. */
import { randomBytes } from 'node:crypto'
import test from 'ava'
import { file } from './nodes/content.ts'
import { built } from './nodes/kubo.ts'
import { over } from './nodes/over.ts'
import { along, join, pairOf, start, WAYS } from './nodes/pairs.ts'
import type { Peer, Transport } from './nodes/peer.ts'

const newKey = () => `/key/swarm/psk/1.0.0/\n/base16/\n${randomBytes(32).toString('hex')}\n`

/** QUIC knows no such networks. */
const KNOWN: readonly Transport[] = ['tcp', 'ws']

for (const version of built()) {
  for (const transport of KNOWN) {
    const pair = pairOf(version, { ...over(transport), swarmKey: newKey() })
    for (const way of WAYS) {
      test.serial(`content comes ${way} Kubo ${version} in a private network over ${transport}`, async t => {
        const [source, sink] = along(way, await pair())
        await join(source, sink, transport)
        const bytes = randomBytes(1_000_000)
        const root = await source.add(file(bytes))
        t.is((await sink.digest(`cat?arg=${root}&timeout=20s`)).size, bytes.length)
      })
    }

    test.serial(`whoever has another key, or none, is kept out of a private network with Kubo ${version} over ${transport}`, async t => {
      const { ours, kubo } = await pair()
      const strangers = await Promise.all([
        start('holdfast', over(transport)),
        start('holdfast', { ...over(transport), swarmKey: newKey() }),
        start(version, over(transport)),
        start(version, { ...over(transport), swarmKey: newKey() })
      ])
      const isKeptOut = async (stranger: Peer) => {
        const other = stranger.program === 'holdfast' ? kubo : ours
        await t.throwsAsync(stranger.connect(other, transport), undefined, `${stranger.program} gets in`)
        await t.throwsAsync(other.connect(stranger, transport), undefined, `${stranger.program} is met`)
        t.deepEqual(await other.transports(stranger), [])
      }
      await Promise.all(strangers.map(isKeptOut))
      await Promise.all(strangers.map(stranger => stranger.close()))
    })
  }
}

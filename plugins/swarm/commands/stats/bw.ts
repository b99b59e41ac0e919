import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { parseDuration } from '../../../../core/go/duration.ts'
import { BandwidthMeter, type BandwidthReading, command, optional, p, stream } from '../../../../core/index.ts'
import { parsePeerId, peerIdString } from '../../../../core/keys/index.ts'
import { swarmErrors } from '../../errors.ts'

/** The shortest time from one reading to the next, in milliseconds. */
const LEAST_INTERVAL = 10

const reading = z.object({ TotalIn: z.bigint(), TotalOut: z.bigint(), RateIn: z.number(), RateOut: z.number() })

export const statsBw = command.read('stats/bw', {
  help: 'Show how many bytes went over streams with peers, and how many a second.',
  examples: [{ title: 'What went over one protocol', args: 'stats bw --proto=/ipfs/ping/1.0.0' }],
  needs: { bandwidth: optional(BandwidthMeter) },
  options: {
    peer: p.string('Only what went to and came from this peer.').alias('p'),
    proto: p.string('Only what went over this protocol.').alias('t'),
    poll: p.bool('Go on showing it.'),
    interval: p.string('The time from one reading to the next, with --poll.').alias('i').default('1s')
  },
  reply: stream(reading),
  xml: 'Stats',
  // the reference has no text for this but that of its structures
  text: ({ TotalIn, TotalOut, RateIn, RateOut }) =>
    `&{%!s(int64=${TotalIn}) %!s(int64=${TotalOut}) %!s(float64=${RateIn}) %!s(float64=${RateOut})}`,
  terminal: ({ TotalIn, TotalOut, RateIn, RateOut }) =>
    `Bandwidth\nTotalIn: ${TotalIn} B\nTotalOut: ${TotalOut} B\nRateIn: ${RateIn.toFixed(1)} B/s\nRateOut: ${RateOut.toFixed(1)} B/s\n`,
  async *run({ bandwidth }, { options, signal }) {
    if (bandwidth === undefined) throw swarmErrors.E_BANDWIDTH_OFFLINE()
    if (!bandwidth.enabled) throw swarmErrors.E_BANDWIDTH_OFF()
    const { peer, proto, poll = false } = options
    if (peer !== undefined && proto !== undefined) throw swarmErrors.E_BANDWIDTH_BOTH()
    const read = readerOf(bandwidth, peer, proto)
    const interval = Math.max(Number(parseDuration(options.interval) / 1_000_000n), LEAST_INTERVAL)
    yield shown(read())
    while (poll) {
      await wait(interval, undefined, { signal }).catch(() => signal.throwIfAborted())
      yield shown(read())
    }
  }
})

function readerOf(bandwidth: BandwidthMeter, peer: string | undefined, protocol: string | undefined): () => BandwidthReading {
  if (peer !== undefined) {
    const name = peerIdString(parsePeerId(peer))
    return () => bandwidth.ofPeer(name)
  }
  if (protocol !== undefined) return () => bandwidth.ofProtocol(protocol)
  return () => bandwidth.total()
}

const shown = (now: BandwidthReading) => ({ TotalIn: now.in, TotalOut: now.out, RateIn: now.rateIn, RateOut: now.rateOut })

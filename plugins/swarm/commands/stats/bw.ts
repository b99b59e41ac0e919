import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { parseDuration } from '../../../../core/go/duration.ts'
import { command, NetworkTraffic, optional, p, stream, type TrafficReading } from '../../../../core/index.ts'
import { parsePeerId, peerIdString } from '../../../../core/keys/index.ts'
import { swarmErrors } from '../../errors.ts'

/** The shortest time from one reading to the next, in milliseconds. */
const LEAST_INTERVAL = 10

const reading = z.object({ TotalIn: z.bigint(), TotalOut: z.bigint(), RateIn: z.number(), RateOut: z.number() })

export const statsBw = command({
  path: 'stats/bw',
  access: 'read',
  help: 'Show how many bytes went over streams with peers, and how many a second.',
  examples: [{ title: 'What went over one protocol', args: 'stats bw --proto=/ipfs/ping/1.0.0' }],
  needs: { traffic: optional(NetworkTraffic) },
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
  async *run({ traffic }, { options, signal }) {
    if (traffic === undefined) throw swarmErrors.E_BANDWIDTH_OFFLINE()
    if (!traffic.enabled) throw swarmErrors.E_BANDWIDTH_OFF()
    const { peer, proto, poll = false } = options
    if (peer !== undefined && proto !== undefined) throw swarmErrors.E_BANDWIDTH_BOTH()
    const read = readerOf(traffic, peer, proto)
    const interval = Math.max(Number(parseDuration(options.interval) / 1_000_000n), LEAST_INTERVAL)
    yield shown(read())
    while (poll) {
      await wait(interval, undefined, { signal }).catch(() => signal.throwIfAborted())
      yield shown(read())
    }
  }
})

function readerOf(traffic: NetworkTraffic, peer: string | undefined, protocol: string | undefined): () => TrafficReading {
  if (peer !== undefined) {
    const name = peerIdString(parsePeerId(peer))
    return () => traffic.ofPeer(name)
  }
  if (protocol !== undefined) return () => traffic.ofProtocol(protocol)
  return () => traffic.total()
}

const shown = (now: TrafficReading) => ({ TotalIn: now.in, TotalOut: now.out, RateIn: now.rateIn, RateOut: now.rateOut })

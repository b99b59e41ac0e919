import type { Metrics, Stream } from '@libp2p/interface'
import type { BandwidthMeter, BandwidthReading } from '../../core/index.ts'
import { whenAgreed } from './streams/optimistic.ts'

/** How long what was counted goes on to be felt in a rate, in milliseconds. */
const FADING = 2_000

/** Peers and protocols that are counted on their own; of more, those that were not heard of for longest are forgotten. */
const MOST_COUNTED = 4_096

/** Octets in one direction, and how many a second of late. */
class Meter {
  total = 0n
  #rate = 0
  #at = 0

  add(bytes: number, now: number): void {
    this.total += BigInt(bytes)
    this.#rate = this.rate(now) + bytes / (FADING / 1000)
    this.#at = now
  }

  /** Bytes a second. */
  rate(now: number): number {
    return this.#rate * Math.exp((this.#at - now) / FADING)
  }
}

class Both {
  readonly in = new Meter()
  readonly out = new Meter()
  last = 0

  reading(): BandwidthReading {
    const now = performance.now()
    return { in: this.in.total, out: this.out.total, rateIn: this.in.rate(now), rateOut: this.out.rate(now) }
  }
}

/** Counts what goes over streams, in total, by peer and by protocol. */
export class StreamBandwidth implements BandwidthMeter {
  readonly enabled: boolean
  readonly #total = new Both()
  readonly #peers = new Map<string, Both>()
  readonly #protocols = new Map<string, Both>()

  constructor(enabled: boolean) {
    this.enabled = enabled
  }

  total(): BandwidthReading {
    return this.#total.reading()
  }

  ofPeer(peer: string): BandwidthReading {
    return (this.#peers.get(peer) ?? new Both()).reading()
  }

  ofProtocol(protocol: string): BandwidthReading {
    return (this.#protocols.get(protocol) ?? new Both()).reading()
  }

  /** Counts all that goes over a stream from now on. */
  count(stream: Stream, peer: string | undefined): void {
    const counted = [this.#total, one(this.#protocols, stream.protocol), ...(peer === undefined ? [] : [one(this.#peers, peer)])]
    const add = (direction: 'in' | 'out', bytes: number) => {
      const now = performance.now()
      for (const both of counted) {
        both[direction].add(bytes, now)
        both.last = now
      }
    }
    const inner = stream as Stream & { onData(data: { byteLength: number }): void }
    const { send } = inner
    whenAgreed(stream, () => {
      const { onData } = inner
      // came along with the agreement on the protocol
      if (stream.readBufferLength > 0) add('in', stream.readBufferLength)
      inner.onData = data => {
        add('in', data.byteLength)
        onData.call(stream, data)
      }
    })
    stream.send = data => {
      add('out', data.byteLength)
      return send.call(stream, data)
    }
  }
}

function one(all: Map<string, Both>, name: string): Both {
  const known = all.get(name)
  if (known !== undefined) return known
  if (all.size >= MOST_COUNTED) {
    const [oldest] = [...all].reduce((a, b) => (b[1].last < a[1].last ? b : a))
    all.delete(oldest)
  }
  const made = new Both()
  all.set(name, made)
  return made
}

const ignored = () => ({ update() {}, increment() {}, decrement() {}, reset() {}, observe() {}, timer: () => () => {} })

/** The metrics that libp2p is given: only streams are looked at. */
export function meterOf(onStream: (stream: Stream) => void): Metrics {
  return {
    trackMultiaddrConnection() {},
    trackProtocolStream: onStream,
    registerMetric: ignored,
    registerMetricGroup: ignored,
    registerCounter: ignored,
    registerCounterGroup: ignored,
    registerHistogram: ignored,
    registerHistogramGroup: ignored,
    registerSummary: ignored,
    registerSummaryGroup: ignored,
    traceFunction: (_: string, run: unknown) => run,
    createTrace: () => undefined
  } as unknown as Metrics
}

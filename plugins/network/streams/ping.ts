import { randomBytes } from 'node:crypto'
import type { Connection, Stream } from '@libp2p/interface'
import type { PeerStream } from '../../../core/index.ts'
import { Libp2pStream } from './stream.ts'

/** The protocol of round trips, and the size of its messages (libp2p specs, ping). */
export const PING = '/ipfs/ping/1.0.0'
export const SIZE = 32

/** Sends one message and waits for it to come back. @returns milliseconds */
export async function roundTrip(stream: PeerStream): Promise<number> {
  const sent = randomBytes(SIZE)
  const began = performance.now()
  await stream.write(sent)
  const received: Uint8Array[] = []
  let length = 0
  for await (const part of stream) {
    received.push(part)
    length += part.length
    if (length >= SIZE) break
  }
  const time = performance.now() - began
  if (!sent.equals(Buffer.concat(received))) throw new Error('the peer answered something else than it was sent')
  return time
}

interface Answering {
  handlePing(stream: Stream, connection: Connection): Promise<void>
}

/**
 * Ping that answers over one stream for as long as each message comes in time, as the reference does (go-libp2p 0.33, p2p/protocol/ping): the library
 * tears a stream when its first one is so old.
 *
 * @param timeout - from one whole message to the next, in milliseconds
 */
export function steady<C, T>(make: (components: C) => T, timeout: number): (components: C) => T {
  return components => {
    const made = make(components)
    ;(made as Answering).handlePing = (stream, { remotePeer }) => answerPings(new Libp2pStream(stream, remotePeer.toString()), timeout)
    return made
  }
}

async function answerPings(stream: PeerStream, timeout: number): Promise<void> {
  const late = new Error('no ping came in time, or its answer was not read')
  const timer = setTimeout(() => stream.abort(late), timeout)
  let count = 0
  try {
    for await (const part of stream) {
      await stream.write(part)
      count = (count + part.length) % SIZE
      if (count === 0) timer.refresh()
    }
    await stream.end()
  } catch (error) {
    stream.abort(error as Error)
  } finally {
    clearTimeout(timer)
  }
}

import { randomBytes } from 'node:crypto'
import type { PeerStream } from '../../../core/index.ts'

/** The protocol of round trips, and the size of its messages (libp2p specs, ping). */
export const PING = '/ipfs/ping/1.0.0'
const SIZE = 32

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

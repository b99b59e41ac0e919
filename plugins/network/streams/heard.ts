import { setTimeout as delay } from 'node:timers/promises'
import type { Connection, Stream } from '@libp2p/interface'

/** How long a peer that leaves may take from the end of its streams to that of the connection, in milliseconds. */
const LEAVING = 1_000

interface Bytes {
  subarray(): Uint8Array
}

/** Calls with what has come over a stream and with what comes, without reading of it. */
export function hear(stream: Stream, heard: (bytes: Uint8Array) => void): void {
  const incoming = stream as Stream & { onData(data: Bytes): void; readonly readBuffer: Bytes }
  const { onData } = incoming
  heard(incoming.readBuffer.subarray())
  incoming.onData = data => {
    heard(data.subarray())
    onData.call(incoming, data)
  }
}

/** Whether the peer of a stream that has ended stays: who leaves ends the streams first. */
export async function stays(connection: Connection): Promise<boolean> {
  await delay(LEAVING, undefined, { ref: false })
  return connection.status === 'open'
}

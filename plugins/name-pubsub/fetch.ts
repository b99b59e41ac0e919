import type { Network, PeerStream } from '../../core/index.ts'
import { MAX_RECORD_SIZE } from '../../core/ipns/index.ts'
import { type Field, frames, readFields, writeFields, writeFrame } from '../../core/network/index.ts'
import { namePubsubErrors } from './errors.ts'

/** Values by their keys, one question and one answer a stream (libp2p, fetch specification). */
export const FETCH = '/libp2p/fetch/0.0.1'

const IDENTIFIER = 1
const STATUS = 1
const DATA = 2
const OK = 0
const NOT_FOUND = 1

/** Bytes of a question, and of an answer: a record that is too large is read, so that it can be refused for that. */
const MOST_QUESTION = 1024
const MOST_ANSWER = 4 * MAX_RECORD_SIZE

/** Answers one question of a peer. @param find - undefined where there is no value. @throws E_NAME_FETCH, E_STREAM */
export async function answer(stream: PeerStream, find: (key: Uint8Array) => Uint8Array | undefined, signal: AbortSignal): Promise<void> {
  const question = new Map(readFields(await message(stream, MOST_QUESTION, signal), namePubsubErrors.E_NAME_FETCH))
  const key = question.get(IDENTIFIER)
  const value = key instanceof Uint8Array ? find(key) : undefined
  // a status of 0 is not written: that is what protobuf means by 0
  const fields: Field[] = value === undefined ? [[STATUS, NOT_FOUND]] : [[DATA, value]]
  await writeFrame(stream, writeFields(fields), signal)
}

/** Asks a peer for the value of a key. @returns undefined where it has none. @throws E_NAME_FETCH and what opening a stream does */
export async function ask(network: Network, peer: string, key: Uint8Array, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const stream = await network.open(peer, FETCH, { signal })
  try {
    await writeFrame(stream, writeFields([[IDENTIFIER, key]]), signal)
    const found = new Map(readFields(await message(stream, MOST_ANSWER, signal), namePubsubErrors.E_NAME_FETCH))
    const value = found.get(DATA)
    return (found.get(STATUS) ?? OK) === OK && value instanceof Uint8Array ? value : undefined
  } finally {
    stream.abort()
  }
}

/** The one message that is read from a stream. */
async function message(stream: PeerStream, most: number, signal: AbortSignal): Promise<Uint8Array> {
  const leave = () => stream.abort(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  try {
    signal.throwIfAborted()
    for await (const frame of frames(stream, most, namePubsubErrors.E_NAME_FETCH)) return frame
    throw namePubsubErrors.E_NAME_FETCH('there is none')
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

import type { RoutedPeer } from '../../../core/index.ts'
import { peerIdString } from '../../../core/keys/index.ts'
import { type Addresses } from '../libraries.ts'
import { type Field, readFields, varint, writeFields } from './wire.ts'

/** The kinds of message (go-libp2p-kad-dht 0.25, pb/dht.proto). */
export const MESSAGE = { PUT_VALUE: 0, GET_VALUE: 1, ADD_PROVIDER: 2, GET_PROVIDERS: 3, FIND_NODE: 4, PING: 5 } as const

/** A request, or the answer to one. */
export interface Message {
  readonly type: number
  readonly key: Uint8Array
  readonly record?: Uint8Array | undefined
  readonly closer: readonly RoutedPeer[]
  readonly providers: readonly RoutedPeer[]
}

/** Numbers of the fields of a message, and of a peer in it. */
const FIELD = { TYPE: 1, KEY: 2, RECORD: 3, CLOSER: 8, PROVIDERS: 9 } as const
const PEER_FIELD = { ID: 1, ADDRESS: 2 } as const

/** The longest ID of a peer, and the longest address, that are read, in octets: base58 takes time by the square of the length. */
const [LONGEST_ID, LONGEST_ADDRESS] = [128, 1024]

/** Most addresses of a peer that are read. */
const MOST_ADDRESSES = 64

/** Reads a message; more than `mostPeers` peers of a kind are left out, and peers and addresses that are none. @throws E_DHT_MESSAGE */
export function readMessage(bytes: Uint8Array, addresses: Addresses, mostPeers: number): Message {
  let type: number = MESSAGE.PUT_VALUE
  let key: Uint8Array = new Uint8Array()
  let record: Uint8Array | undefined
  const closer: RoutedPeer[] = []
  const providers: RoutedPeer[] = []
  for (const [field, value] of readFields(bytes)) {
    if (typeof value === 'number') {
      if (field === FIELD.TYPE) type = value
    } else if (field === FIELD.KEY) key = value.slice()
    else if (field === FIELD.RECORD) record = value.slice()
    else if (field === FIELD.CLOSER && closer.length < mostPeers) closer.push(...readPeer(value, addresses))
    else if (field === FIELD.PROVIDERS && providers.length < mostPeers) providers.push(...readPeer(value, addresses))
  }
  return { type, key, record, closer, providers }
}

/** The peer, or nothing where it can be none: to remember or dial it would fail. */
function readPeer(bytes: Uint8Array, { read, isPeer }: Addresses): RoutedPeer[] {
  let id = ''
  const found: string[] = []
  for (const [field, value] of readFields(bytes)) {
    if (typeof value === 'number') continue
    if (field === PEER_FIELD.ID) id = value.length > LONGEST_ID ? '' : peerIdString(value)
    else if (field === PEER_FIELD.ADDRESS && value.length <= LONGEST_ADDRESS && found.length < MOST_ADDRESSES) {
      const address = read(value)
      if (address !== undefined) found.push(address)
    }
  }
  return isPeer(id) ? [{ id, addresses: found }] : []
}

export function writeMessage({ type, key, record, closer, providers }: Message, addresses: Addresses): Uint8Array {
  const fields: Field[] = []
  if (type !== 0) fields.push([FIELD.TYPE, type])
  if (key.length > 0) fields.push([FIELD.KEY, key])
  if (record !== undefined) fields.push([FIELD.RECORD, record])
  for (const peer of closer) fields.push([FIELD.CLOSER, writePeer(peer, addresses)])
  for (const peer of providers) fields.push([FIELD.PROVIDERS, writePeer(peer, addresses)])
  return writeFields(fields)
}

/** Bytes that are written to a stream at a time. */
const PIECE = 65_536

/** Pieces that are kept for the next time: a sweep writes gigabytes in a day, which would be left to the garbage collector. */
const MOST_SPARE = 64

/** Memory of pieces, used again once a peer has read what was in it. */
export class Pieces {
  readonly #spare: Uint8Array[] = []

  take(used: Uint8Array[]): Uint8Array {
    const piece = this.#spare.pop() ?? Buffer.allocUnsafeSlow(PIECE)
    used.push(piece)
    return piece
  }

  giveBack(used: readonly Uint8Array[]): void {
    this.#spare.push(...used.slice(0, MOST_SPARE - this.#spare.length))
  }
}

/** Messages that one peer provides many multihashes, each behind its length, some hundred to a piece. They differ by their key alone. */
export function* addProviderPieces(
  multihashes: readonly Uint8Array[],
  provider: RoutedPeer,
  addresses: Addresses,
  take = (): Uint8Array => Buffer.allocUnsafeSlow(PIECE)
): Generator<Uint8Array> {
  const before = writeFields([[FIELD.TYPE, MESSAGE.ADD_PROVIDER]])
  const behind = writeFields([[FIELD.PROVIDERS, writePeer(provider, addresses)]])
  let piece: Uint8Array = new Uint8Array(0)
  let at = 0
  for (const multihash of multihashes) {
    const key = writeFields([[FIELD.KEY, multihash]])
    const message = before.length + key.length + behind.length
    const length = varint(message)
    if (at + length.length + message > piece.length) {
      if (at > 0) yield piece.subarray(0, at)
      piece = length.length + message > PIECE ? Buffer.allocUnsafeSlow(length.length + message) : take()
      at = 0
    }
    for (const part of [length, before, key, behind]) {
      piece.set(part, at)
      at += part.length
    }
  }
  if (at > 0) yield piece.subarray(0, at)
}

function writePeer({ id, addresses }: RoutedPeer, { write, idBytes }: Addresses): Uint8Array {
  return writeFields([[PEER_FIELD.ID, idBytes(id)], ...addresses.map(address => [PEER_FIELD.ADDRESS, write(address)] as Field)])
}

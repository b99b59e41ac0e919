import { readFields } from '../../core/network/index.ts'
import { gossipsubErrors } from './errors.ts'
import { limitHistory } from './history.ts'
import type { Bytes, DeliveryRecords, Internals, OutboundStream, RawMessage, Rpc } from './internals.ts'
import type { GossipsubSettings } from './settings.ts'

/** The cost of a message's frame besides its data: IDs, signature, key and topic. */
export const FRAME = 64 * 1024

/** Messages, and topics, of one RPC: the library reads no more of them (its `decodeRpcLimits`). */
const MOST_PARTS = 5_000

/**
 * Parts of an RPC that is read: messages, topics, control messages and the IDs in these. The library bounds each kind, in each control message
 * anew. The reference names 5,000 IDs of a topic (go-libp2p-pubsub 0.10, gossipsub.go).
 */
export const MOST_READ = 16_384

/** Parts of one RPC with nothing in them, and RPCs in a row that say nothing: the reference greets with one where it listens to nothing. */
export const [MOST_EMPTY_PARTS, MOST_EMPTY] = [64, 1024]

/** RPCs of all peers, and messages of one RPC, in one round of the event loop; parts of an RPC that take as long as another one. */
const [MOST_IN_ROUND, PARTS_AS_ONE] = [64, 64]

/** The number of the control messages among the fields of an RPC (go-libp2p-pubsub 0.10, pb/rpc.proto). */
const CONTROL = 3

/** How long a peer may ask not to be taken for a topic again, in milliseconds: what it asks for is remembered when it is gone, too. */
const MOST_BACKOFF = 3_600_000

/** Bounds what one peer can have the library's router keep, wait for or do. */
export function guard(router: Internals, { maxCached, maxMessage, maxSeen, maxUnsent }: GossipsubSettings): void {
  limitHistory(router.mcache, maxCached)
  limitRecords(router.score.deliveryRecords, maxSeen)
  openSideBySide(router)
  readInTurns(router)
  sendInFrames(router, { frame: maxMessage, most: maxUnsent / 2 })
  // a message of 1.2, which is not spoken here (see the protocols)
  router.handleIdontwant = () => {}
  const backOff = router.doAddBackoff.bind(router)
  router.doAddBackoff = (peer, topic, milliseconds) => backOff(peer, topic, Math.min(milliseconds, MOST_BACKOFF))
}

/**
 * Reads what peers send in turns with all else: of all of them together so much in a round of the event loop. What waits goes on in its order, so that
 * messages of one sender that come over several peers keep theirs.
 *
 * @throws E_PUBSUB_RPC into the library, which hands it to `handlePeerReadStreamError`
 */
export function readInTurns(router: Pick<Internals, 'pipePeerReadStream' | 'validateReceivedMessage'>): void {
  const [pipe, validate] = [router.pipePeerReadStream.bind(router), router.validateReceivedMessage.bind(router)]
  let done = 0
  let round: Promise<void> | undefined
  const nextRound = () =>
    new Promise<void>(resolve => {
      setImmediate(() => {
        done = 0
        round = undefined
        resolve()
      })
    })
  const inTurn = async (cost: number) => {
    for (;;) {
      round ??= nextRound()
      if (done < MOST_IN_ROUND) break
      await round
    }
    done += cost
  }
  /** Messages of the RPC that is read of a peer. */
  const messages = new WeakMap<object, number>()
  router.pipePeerReadStream = (peer, source) => {
    const begin = (cost: number) => {
      messages.set(peer, 0)
      return inTurn(cost)
    }
    return pipe(peer, checked(source, begin))
  }
  router.validateReceivedMessage = async (from, message) => {
    const count = (messages.get(from) ?? 0) + 1
    messages.set(from, count)
    if (count % MOST_IN_ROUND === 0) {
      round ??= nextRound()
      await round
    }
    return validate(from, message)
  }
}

/** The RPCs of a stream. @throws E_PUBSUB_RPC for one of more parts than an honest peer has to say, and where too many say nothing */
async function* checked(source: AsyncIterable<Bytes>, inTurn: (cost: number) => Promise<void>): AsyncGenerator<Bytes> {
  let empties = 0
  for await (const rpc of source) {
    const { parts, empty } = counted(rpc.subarray())
    await inTurn(1 + Math.floor(parts / PARTS_AS_ONE))
    if (parts > empty) empties = 0
    else if (++empties > MOST_EMPTY) throw gossipsubErrors.E_PUBSUB_RPC(`${empties} in a row have nothing in them`)
    yield rpc
  }
}

/** The parts of an RPC, and those with nothing in them. @throws E_PUBSUB_RPC */
function counted(rpc: Uint8Array): { readonly parts: number; readonly empty: number } {
  let [parts, empty] = [0, 0]
  const count = (bytes: Uint8Array, level: 'rpc' | 'control' | 'ids') => {
    for (const [number, value] of readFields(bytes, gossipsubErrors.E_PUBSUB_RPC)) {
      if (++parts > MOST_READ) throw gossipsubErrors.E_PUBSUB_RPC(`it has more than ${MOST_READ} parts`)
      if (typeof value === 'number') continue
      if (value.length === 0 && level !== 'ids' && ++empty > MOST_EMPTY_PARTS)
        throw gossipsubErrors.E_PUBSUB_RPC(`more than ${MOST_EMPTY_PARTS} of its parts have nothing in them`)
      if (level === 'control') count(value, 'ids')
      else if (level === 'rpc' && number === CONTROL) count(value, 'control')
    }
  }
  count(rpc, 'rpc')
  return { parts, empty }
}

/** A message that came in a frame much larger than itself no longer holds that frame. */
export function release(message: RawMessage): void {
  const { data } = message
  if (data === undefined || data.buffer.byteLength <= 2 * data.length + FRAME) return
  for (const field of ['from', 'data', 'seqno', 'signature', 'key'] as const) {
    const bytes = message[field]
    if (bytes !== undefined) message[field] = Uint8Array.from(bytes)
  }
}

/** The library remembers all messages of two minutes for the scores of peers. */
function limitRecords(records: DeliveryRecords, most: number): void {
  const ensure = records.ensureRecord.bind(records)
  records.ensureRecord = id => {
    const record = ensure(id)
    if (records.records.size > most) records.records.delete(records.queue.shift()!.msgId)
    return record
  }
}

/** Opens streams to peers side by side, one at a time on each connection: the library opens one after the other, and a peer that does not answer would hold up all. */
function openSideBySide(router: Internals): void {
  const open = router.createOutboundStream.bind(router)
  const opening = new Set<string>()
  router.createOutboundStream = async (peer, connection) => {
    const { id } = connection
    if (opening.has(id)) return
    opening.add(id)
    void open(peer, connection).finally(() => opening.delete(id))
  }
}

/**
 * Sends messages that a peer asks for in frames that it reads, and at once no more than may wait for it: it asks again for what is left. Topics that
 * this node listens to are said in such frames, too.
 */
function sendInFrames(router: Internals, { frame, most }: { readonly frame: number; readonly most: number }): void {
  const send = router.sendRpc.bind(router)
  router.sendRpc = (peer, rpc) => {
    const [messages = [], ...others] = frames(rpc.messages, sizeOf, { frame, most })
    const [subscriptions = [], ...further] = frames(rpc.subscriptions, ({ topic = '' }) => Buffer.byteLength(topic) + 16, { frame })
    Object.assign(rpc, { messages, subscriptions })
    return (
      send(peer, rpc) &&
      further.every(some => send(peer, { subscriptions: some, messages: [] } satisfies Rpc)) &&
      others.every(some => send(peer, { subscriptions: [], messages: some } satisfies Rpc))
    )
  }
}

const sizeOf = ({ data, topic, key }: RawMessage) => (data?.length ?? 0) + Buffer.byteLength(topic) + (key?.length ?? 0) + 256

/** Parts of an RPC that go together, in frames of so many bytes; the first of all goes, whatever its size. @param most - bytes of all frames together */
function frames<T>(
  parts: readonly T[],
  size: (part: T) => number,
  { frame, most = Number.POSITIVE_INFINITY }: { frame: number; most?: number }
): T[][] {
  const groups: T[][] = []
  let [filled, total] = [0, 0]
  for (const part of parts) {
    const bytes = size(part)
    if (groups.length > 0 && total + bytes > most) break
    if (groups.length === 0 || filled + bytes > frame || groups.at(-1)!.length === MOST_PARTS) {
      groups.push([])
      filled = 0
    }
    groups.at(-1)!.push(part)
    filled += bytes
    total += bytes
  }
  return groups
}

/**
 * Takes a peer into the mesh of the topics that it listens to as soon as there is a stream to it. The library does so when the peer says what it listens to,
 * which it may before there is one, and again up to a second later: what is sent between is given to nobody of whom it is known then.
 */
export function graftLate(router: Internals, peer: string): void {
  const topics = [...router.mesh.keys()].filter(
    topic => router.topics.get(topic)?.has(peer) === true && router.graftOnSubscribe(peer, topic)
  )
  if (topics.length > 0) router.sendGraft(peer, topics)
}

/** Closes the stream to a peer that another one takes the place of. */
export function replace(before: OutboundStream | undefined): void {
  before?.close().catch(() => {})
}

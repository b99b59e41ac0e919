import { parseCid } from '../../../core/cid/index.ts'
import { type CID, messageOf, type RoutedPeer, type RoutingEvent, refuseDeniedBlock } from '../../../core/index.ts'
import { parsePeerId, peerIdString } from '../../../core/keys/index.ts'
import { gatewayErrors } from '../errors.ts'
import type { Reply } from '../reply/reply.ts'
import type { RoutingRequest, RoutingServices } from './request.ts'

/** Peers of an answer that is one object (boxo, routing/http/server: DefaultRecordsLimit). */
const MOST = 20

/** The providers of content. Of no provider the list is null, as the reference has it. */
export async function answerProviders({ reply, of, signal }: RoutingRequest, { routing, denylist }: RoutingServices): Promise<void> {
  const isStream = wantsLines(reply)
  const cid = cidIn(of)
  await refuseDeniedBlock(denylist, cid)
  const found = routing === undefined ? none() : peersOf(routing.findProviders(cid, { signal, ...(!isStream && { count: MOST }) }))
  return sendPeers(reply, 'Providers', isStream, found)
}

/** Where a peer is. */
export async function answerPeers({ reply, of, signal }: RoutingRequest, { routing }: RoutingServices): Promise<void> {
  const isStream = wantsLines(reply)
  const peer = peerIn(of)
  if (routing === undefined) throw gatewayErrors.E_ROUTING_ABSENT()
  return sendPeers(reply, 'Peers', isStream, peersOf(routing.findPeer(peer, { signal })), true)
}

async function* none(): AsyncGenerator<RoutedPeer> {}

async function* peersOf(events: AsyncIterable<RoutingEvent>): AsyncGenerator<RoutedPeer> {
  for await (const event of events) {
    if (event.type === 'provider') yield event.provider
    else if (event.type === 'peer') yield event.found
  }
}

/** @throws E_ROUTING_TYPE where neither form is accepted */
function wantsLines({ request }: Reply): boolean {
  const { accept = '*/*' } = request.headers
  if (accept.includes('application/x-ndjson')) return true
  if (accept.includes('application/json') || accept.includes('*/*')) return false
  throw gatewayErrors.E_ROUTING_TYPE()
}

async function sendPeers(
  reply: Reply,
  name: 'Providers' | 'Peers',
  isStream: boolean,
  found: AsyncGenerator<RoutedPeer>,
  isNeeded = false
): Promise<void> {
  try {
    const first = await found.next()
    if (first.done === true && isNeeded) throw gatewayErrors.E_ROUTING_ABSENT()
    reply
      .set('Content-Type', isStream ? 'application/x-ndjson' : 'application/json')
      .set('Vary', 'Accept')
      .set('Cache-Control', `public, max-age=${first.done === true ? 15 : 300}, stale-while-revalidate=172800, stale-if-error=172800`)
      .set('Last-Modified', new Date().toUTCString())
    if (isStream) return await reply.flow(200, lines(first, found))
    const all = first.done === true ? [] : [recordOf(first.value)]
    for await (const peer of found) if (all.push(recordOf(peer)) >= MOST) break
    reply.page(200, JSON.stringify({ [name]: all.length === 0 ? null : all }))
  } finally {
    await found.return(undefined)
  }
}

async function* lines(first: IteratorResult<RoutedPeer>, others: AsyncIterable<RoutedPeer>): AsyncGenerator<Uint8Array> {
  if (first.done === true) return
  yield line(first.value)
  for await (const peer of others) yield line(peer)
}

const line = (peer: RoutedPeer) => Buffer.from(`${JSON.stringify(recordOf(peer))}\n`)
const recordOf = ({ id, addresses }: RoutedPeer) => ({ Schema: 'peer', ID: id, Addrs: addresses })

function cidIn(text: string): CID {
  try {
    return parseCid(text)
  } catch (error) {
    throw gatewayErrors.E_ROUTING_REQUEST(`unable to parse CID: ${messageOf(error)}`)
  }
}

function peerIn(text: string): string {
  try {
    if (!/^(?:1|Qm)/.test(text)) parseCid(text)
    return peerIdString(parsePeerId(text))
  } catch (error) {
    throw gatewayErrors.E_ROUTING_REQUEST(`unable to parse peer ID as libp2p-key CID: ${messageOf(error)}`)
  }
}

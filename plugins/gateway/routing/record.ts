import type { IncomingMessage } from 'node:http'
import { parseCid } from '../../../core/cid/index.ts'
import { unlessAborted } from '../../../core/concurrency/index.ts'
import { messageOf, refuseDeniedPath } from '../../../core/index.ts'
import { formatName, MAX_RECORD_SIZE, nowInNanoseconds, readRecord, routingKey, validateRecord } from '../../../core/ipns/index.ts'
import { parsePeerId } from '../../../core/keys/index.ts'
import { gatewayErrors } from '../errors.ts'
import { mediaTypeOf } from '../request/format.ts'
import { xxh64 } from '../trustless/hash.ts'
import { lifetimeOf } from '../trustless/record.ts'
import type { RoutingRequest, RoutingServices } from './request.ts'

const TYPE = mediaTypeOf('ipns-record')

/** The best record of a name that is known, held against its key. */
export async function answerRecord({ reply, of, signal }: RoutingRequest, { names, denylist }: RoutingServices): Promise<void> {
  const multihash = keyIn(of)
  await refuseDeniedPath(denylist, { namespace: 'ipns', name: of, segments: [] })
  const bytes = await names?.record(of, { signal })
  if (bytes === undefined) throw gatewayErrors.E_ROUTING_ABSENT()
  const ttl = await lifetimeOf(of, multihash, bytes)
  reply
    .set('Content-Type', TYPE)
    .set('Etag', `"${await xxh64([bytes])}"`)
    .set('Vary', 'Accept')
  if (ttl > 0) reply.set('Cache-Control', `public, max-age=${ttl}`)
  reply.set('Last-Modified', new Date().toUTCString()).whole(200, bytes)
}

/** Keeps a record that a caller made, where it is good and no older than the one that is known, and puts it where others find it. */
export async function takeRecord(
  { reply, of, signal, who }: RoutingRequest,
  { names, routing, denylist, quota }: RoutingServices
): Promise<void> {
  const { request } = reply
  const multihash = keyIn(of)
  await refuseDeniedPath(denylist, { namespace: 'ipns', name: of, segments: [] })
  if (request.headers['content-type'] !== TYPE)
    throw gatewayErrors.E_ROUTING_REQUEST(`invalid content type in 'Content-Type' header, expected ${TYPE}`)
  if (names === undefined) throw gatewayErrors.E_GATEWAY_NO_NAMES()
  const bytes = await bodyOf(request, signal)
  await accepted(() => validateRecord(readRecord(bytes), multihash, nowInNanoseconds()), signal)
  quota.take(who, formatName(multihash))
  await accepted(() => names.put(of, bytes, { signal }), signal)
  if (routing?.hasPeers === true) for await (const _ of routing.putValue(routingKey(multihash), bytes, { signal }));
  reply.empty(200, 0)
}

async function accepted(work: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  try {
    await work()
  } catch (error) {
    signal.throwIfAborted()
    throw gatewayErrors.E_ROUTING_REQUEST(`record rejected: ${messageOf(error)}`)
  }
}

/** The body, if it comes in time. */
async function bodyOf(request: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const tooLong = () => gatewayErrors.E_ROUTING_REQUEST(`the record has more than ${MAX_RECORD_SIZE} bytes`)
  // told before it is read, so that the caller gets to know
  if (Number(request.headers['content-length']) > MAX_RECORD_SIZE) throw tooLong()
  const pieces: Buffer[] = []
  let size = 0
  const read = async () => {
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > MAX_RECORD_SIZE) throw tooLong()
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  }
  return unlessAborted(read(), signal)
}

function keyIn(text: string): Uint8Array {
  try {
    parseCid(text)
    return parsePeerId(text)
  } catch (error) {
    throw gatewayErrors.E_ROUTING_REQUEST(`unable to parse CID: ${messageOf(error)}`)
  }
}

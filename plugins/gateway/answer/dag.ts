import { codecName } from '../../../core/cid/index.ts'
import type { Node } from '../../../core/dag/index.ts'
import { gatewayErrors } from '../errors.ts'
import { hasAlready } from '../reply/conditions.ts'
import { disposition, filenameIn } from '../reply/disposition.ts'
import type { ContentRequest } from '../request/content.ts'
import { acceptsHtml, type Format, mediaTypeOf } from '../request/format.ts'
import type { Place } from '../request/place.ts'
import type { GatewayServices } from '../services.ts'
import { dagIndexEtag } from './etags.ts'
import { notModified } from './not-modified.ts'
import { preview } from './preview.ts'
import { sendSeekable } from './seekable.ts'

/** The forms that blocks are sent in, by their codec. */
type DataFormat = Extract<Format, 'json' | 'cbor' | 'dag-json' | 'dag-cbor'>

/** The formats that a block of a codec can be sent as without being changed. */
const SENT_AS: Readonly<Record<string, readonly DataFormat[]>> = {
  json: ['json'],
  cbor: ['cbor'],
  'dag-json': ['dag-json', 'json'],
  'dag-cbor': ['dag-cbor', 'cbor']
}

/**
 * Answers with a block as it is, under the media type of its codec or of the form that was asked for; or shows a browser its values.
 *
 * @param at - where it is another place than the one that the path leads to
 */
export async function answerDag(request: ContentRequest, services: GatewayServices, at?: Place): Promise<void> {
  const { reply, choice, query } = request
  const place = at ?? (await request.locate())
  const codec = codecName(place.cid.code)
  const possible = SENT_AS[codec] ?? []
  const format = choice.format === 'default' ? possible[0] : (choice.format as DataFormat)
  if (format === undefined || !possible.includes(format)) {
    // a codec that nobody can read is told as such, where nothing else was asked for
    if (choice.format === 'default') await read(request, place, services)
    throw gatewayErrors.E_GATEWAY_CODEC(choice.mediaType === '' ? 'default' : choice.mediaType, codec)
  }
  const isDag = codec === 'dag-json' || codec === 'dag-cbor'
  const canPreview = choice.format === 'default' && isDag && query.get('download') !== 'true'
  // what a browser is shown differs
  if (canPreview) reply.varyByAccept()
  const isPreview = canPreview && acceptsHtml(reply.request)
  const text = request.nameOf(place.cid)
  const etag = isPreview ? dagIndexEtag(text) : `"${text}.${format}"`
  if (hasAlready(reply.request, [etag])) return notModified(request, etag, isPreview)
  const { bytes, value } = await read(request, place, services)
  request.tellRoots(place.roots)
  if (isPreview) return preview(request, { cid: place.cid, size: bytes.length, value, etag })
  tellDisposition(request, text, format)
  reply.set('X-Content-Type-Options', 'nosniff')
  const none = () => Promise.reject(new Error('a block is whole'))
  return sendSeekable(request, { etag, contentType: mediaTypeOf(format), size: BigInt(bytes.length), bytes, read: none }, services)
}

/** A block, and its value. */
interface Read {
  readonly bytes: Uint8Array
  /** The value; undefined where the block is too large to be looked at. */
  readonly value: Node | undefined
}

/** The block, which its codec can read; one that is too large for that in a moment is not looked at. */
async function read(request: ContentRequest, { cid }: Place, { dag, settings }: GatewayServices): Promise<Read> {
  const { sources, options } = request
  try {
    const codec = dag.codec(cid.code)
    const bytes = await sources.blocks.get(cid, options)
    return { bytes, value: bytes.length > settings.limits.previewBytes ? undefined : codec.decode(bytes) }
  } catch (error) {
    throw request.unresolved(error)
  }
}

function tellDisposition({ reply, query }: ContentRequest, cid: string, format: DataFormat): void {
  const isJson = format.endsWith('json')
  const name = filenameIn(query) || `${cid}.${isJson ? 'json' : 'cbor'}`
  const kind = isJson && query.get('download') !== 'true' ? 'inline' : 'attachment'
  reply.set('Content-Disposition', disposition(kind, name))
}

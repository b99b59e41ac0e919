import type { Mtime } from '../../../core/index.ts'
import { type FileNode, readFile, type SymlinkNode, wholeContent } from '../../../core/unixfs/index.ts'
import { gatewayErrors } from '../errors.ts'
import { disposition, filenameIn } from '../reply/disposition.ts'
import { parseRanges, type Span } from '../reply/ranges.ts'
import type { ContentRequest } from '../request/content.ts'
import type { GatewayServices } from '../services.ts'
import { typeByName } from '../types/names.ts'
import { SNIFFED, sniff } from '../types/sniff.ts'
import { type Seekable, sendSeekable } from './seekable.ts'

/** The form that a file is sent in. */
export interface FileAnswer {
  readonly etag: string
  /** The name that its type may be told by: the last segment of a path, not the root. */
  readonly name: string | undefined
}

export function sendFile(
  request: ContentRequest,
  node: FileNode,
  services: GatewayServices,
  { etag, name }: FileAnswer
): Promise<void> | void {
  tellDisposition(request, name)
  const bytes = wholeContent(node)
  const size = bytes === undefined ? node.size : BigInt(bytes.length)
  if (size < 0n) throw gatewayErrors.E_GATEWAY_SIZE(size)
  const modifiedAt = dateOf(node.mtime)
  const read = ({ start, length }: Span) => readFile(node, request.sources, { ...request.options, offset: start, length })
  const known = typeByName(filenameIn(request.query) || name) ?? (size === 0n ? 'text/plain' : bytes && sniff(bytes))
  if (known !== undefined) return sendSeekable(request, { etag, size, bytes, read, contentType: known, modifiedAt }, services)
  return sendUnknown(request, { etag, size, read, modifiedAt }, services)
}

/** The last second of the year 9999, which is the last that HTTP can write. */
const LAST_DATE = 253_402_300_799n

/** A time of modification as HTTP has it; undefined for one that it cannot write. */
function dateOf(mtime: Mtime | undefined): Date | undefined {
  if (mtime === undefined || mtime.seconds < 0n || mtime.seconds > LAST_DATE) return undefined
  return new Date(Number(mtime.seconds) * 1000)
}

/** Sends a file whose type only its first bytes can tell. */
async function sendUnknown(request: ContentRequest, file: Omit<Seekable, 'contentType'>, services: GatewayServices): Promise<void> {
  // a range can be had where the beginning cannot
  const isRange = parseRanges(request.reply.request.headers.range) !== undefined
  if (isRange || request.reply.isHead) {
    const beginning = await head(await file.read({ start: 0n, length: BigInt(SNIFFED) })).catch((error: unknown) => {
      if (!isRange || request.options.signal?.aborted) throw error
      return undefined
    })
    await beginning?.remaining.return?.()
    const contentType = beginning === undefined ? 'application/octet-stream' : sniff(beginning.bytes)
    return sendSeekable(request, { ...file, contentType }, services)
  }
  const { etag, size, modifiedAt } = file
  return sendBegun(request, { etag, size, modifiedAt }, await head(await file.read({ start: 0n, length: size })), services)
}

/** Sends a file whose beginning was read. What runs for as long as somebody reads has neither its root nor its beginning. */
async function sendBegun(
  request: ContentRequest,
  file: Omit<Seekable, 'contentType' | 'read'>,
  { bytes, pieces, remaining }: Begun,
  services: GatewayServices
): Promise<void> {
  const read = async () => continued(pieces, remaining)
  try {
    await sendSeekable(request, { ...file, read, contentType: sniff(bytes) }, services)
  } finally {
    await remaining.return?.()
  }
}

/** The beginning of a body, and what comes behind it. */
interface Begun {
  readonly bytes: Uint8Array
  readonly pieces: Uint8Array[]
  readonly remaining: AsyncIterator<Uint8Array>
}

async function head(from: AsyncIterable<Uint8Array>): Promise<Begun> {
  const remaining = from[Symbol.asyncIterator]()
  const pieces: Uint8Array[] = []
  let size = 0
  while (size < SNIFFED) {
    const step = await remaining.next()
    if (step.done === true) break
    pieces.push(step.value)
    size += step.value.length
  }
  return { bytes: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces), pieces, remaining }
}

async function* continued(pieces: Uint8Array[], remaining: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  while (pieces.length > 0) yield pieces.shift()!
  yield* { [Symbol.asyncIterator]: () => remaining }
}

/** Sends where a symlink leads; it is not followed. */
export function sendSymlink(request: ContentRequest, { cid, target }: SymlinkNode, services: GatewayServices): Promise<void> | void {
  const etag = `"${request.nameOf(cid)}"`
  tellDisposition(request, undefined)
  const read = () => Promise.reject(new Error('a target is whole'))
  return sendSeekable(request, { etag, size: BigInt(target.length), bytes: target, read, contentType: 'inode/symlink' }, services)
}

/** @param name - of the file in its folder */
function tellDisposition(request: ContentRequest, name: string | undefined): void {
  const { reply, query } = request
  const filename = filenameIn(query)
  const download = query.get('download') === 'true'
  if (filename !== '') reply.set('Content-Disposition', disposition(download ? 'attachment' : 'inline', filename))
  else if (download) reply.set('Content-Disposition', disposition('attachment', name ?? request.nameOf(request.root)))
}

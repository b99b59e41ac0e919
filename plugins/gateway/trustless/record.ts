import { messageOf } from '../../../core/index.ts'
import { nowInNanoseconds, readRecord, validateRecord } from '../../../core/ipns/index.ts'
import { tryKey } from '../hosts/label.ts'
import type { ContentRequest } from '../request/content.ts'
import { printedPath } from '../request/path.ts'
import type { GatewayServices } from '../services.ts'
import { attach, isKnown } from './attachment.ts'
import { trustlessErrors } from './errors.ts'
import { xxh64 } from './hash.ts'

/** The signed record of a key, held against the key: what is not good is not handed on. */
export async function answerRecord(request: ContentRequest, { names }: GatewayServices): Promise<void> {
  const { reply, path, options } = request
  const { root } = path
  if (path.namespace !== 'ipns') throw trustlessErrors.E_RECORD_PATH(printedPath(path.text))
  if (path.segments.length > 0) throw trustlessErrors.E_RECORD_SUBPATH()
  const multihash = tryKey(root)
  if (multihash === undefined) throw trustlessErrors.E_RECORD_NAME(root)
  if (names.record === undefined) throw trustlessErrors.E_RECORD_UNSUPPORTED()
  const bytes = await names.record(root, options)
  if (bytes === undefined) throw trustlessErrors.E_RECORD_ABSENT()
  const ttl = await lifetimeOf(root, multihash, bytes)
  const etag = `"${await xxh64([bytes])}"`
  attach(request, `${root}.ipns-record`)
  if (ttl > 0) reply.set('Cache-Control', `public, max-age=${ttl}`)
  if (isKnown(request, etag)) return
  reply.set('Content-Type', 'application/vnd.ipfs.ipns-record').set('Etag', etag)
  if (ttl <= 0) reply.set('Last-Modified', new Date().toUTCString())
  reply.whole(200, bytes)
}

/**
 * Checks a record.
 *
 * @returns how long it may be taken for the newest, in seconds: no longer than it is good
 * @throws E_RECORD_INVALID
 */
export async function lifetimeOf(name: string, multihash: Uint8Array, bytes: Uint8Array): Promise<number> {
  try {
    const record = readRecord(bytes)
    const now = nowInNanoseconds()
    await validateRecord(record, multihash, now)
    const left = record.end! - now
    const ttl = record.ttl ?? DEFAULT_TTL
    return Number((ttl < left ? ttl : left) / SECOND)
  } catch (error) {
    throw trustlessErrors.E_RECORD_INVALID(name, messageOf(error))
  }
}

const SECOND = 1_000_000_000n
/** How long a record that says nothing about it may be taken for the newest, in nanoseconds (boxo, ipns). */
const DEFAULT_TTL = 60n * SECOND

import { encodeUtf8, searchParams } from '../../../core/go/index.ts'
import { messageOf } from '../../../core/index.ts'
import { openNode, readFile } from '../../../core/unixfs/index.ts'
import { answerPlace } from '../answer/place.ts'
import { gatewayErrors } from '../errors.ts'
import { begun } from '../reply/pump.ts'
import type { ContentRequest } from '../request/content.ts'
import { printedPath } from '../request/path.ts'
import type { GatewayServices } from '../services.ts'
import { findRule, MOST_BYTES, parseRules, type Rule, segmentsOf } from './rules.ts'

/** Answers for a path that leads nowhere as the site's own `_redirects` says; with the error where that says nothing. */
export async function answerMissing(request: ContentRequest, services: GatewayServices, error: unknown): Promise<void> {
  const rules = await rulesOf(request)
  const found = rules && findRule(rules, request.path.segments)
  if (found === undefined) throw error
  const { rule, to } = found
  if (rule.status === 200) {
    const there = requestOf(request, to)
    return answerPlace(there, await there.locate(), services)
  }
  if (rule.status >= 400) return answerPage(request, rule.status, to)
  request.reply.redirect(rule.status, withQuery(encodeUtf8(to).toString('latin1'), request.site.rawQuery))
}

/** The rules of a site; undefined for one that has none. @throws E_REDIRECTS_FILE */
async function rulesOf(request: ContentRequest): Promise<readonly Rule[] | undefined> {
  const { options, sources } = request
  const file = request.below(['_redirects'])
  const place = await Promise.resolve(file.place()).catch(() => undefined)
  options.signal?.throwIfAborted()
  if (place === undefined || place.remainder !== '') return undefined
  const refuse = (why: string) =>
    gatewayErrors.E_REDIRECTS_FILE(`${printedPath(`/${request.path.namespace}/${request.path.root}`)}/_redirects`, why)
  const node = await openNode(place.cid, sources, options)
  if (node.type !== 'file') throw refuse(' _redirects is not a file')
  if (node.size > MOST_BYTES) throw refuse(`could not parse _redirects: redirects file size cannot exceed ${MOST_BYTES} bytes`)
  const pieces: Uint8Array[] = []
  for await (const piece of await readFile(node, sources, { ...options, offset: 0n, length: BigInt(MOST_BYTES) })) pieces.push(piece)
  try {
    return parseRules(Buffer.concat(pieces).toString())
  } catch (error) {
    throw refuse(messageOf(error))
  }
}

/** The request for another path of the site, in the stead of the one that was asked for. */
function requestOf(request: ContentRequest, to: string): ContentRequest {
  return request.below(segmentsOf(to))
}

/** Sends a page of the site with a status that says that what was asked for is not there. */
async function answerPage(request: ContentRequest, status: number, to: string): Promise<void> {
  const { reply, sources, options } = request
  const { cid } = await requestOf(request, to).locate()
  const node = await openNode(cid, sources, options)
  if (node.type !== 'file') throw request.unresolved(gatewayErrors.E_GATEWAY_INDEX(to))
  reply.set('Content-Type', 'text/html').set('Etag', `"${request.nameOf(cid)}"`)
  if (request.isImmutable && request.cacheControl !== undefined) reply.set('Cache-Control', request.cacheControl)
  if (reply.isHead) return reply.empty(status, node.size)
  const pieces = await readFile(node, sources, { ...options, offset: 0n, length: node.size })
  return reply.flow(status, await begun(pieces, node.size), node.size)
}

/** A target with the query of the request: what the request says comes before what the target says of the same name. */
function withQuery(to: string, rawQuery: string): string {
  if (rawQuery === '') return to
  const [target = '', ...fragment] = to.split('#')
  const [path = '', ...queryParts] = target.split('?')
  const asked = new Set(searchParams(rawQuery).keys())
  const kept = queryParts
    .join('?')
    .split('&')
    .filter(pair => pair !== '' && !asked.has([...new URLSearchParams(pair).keys()][0] ?? ''))
  return [`${path}?${[...kept, rawQuery].join('&')}`, ...fragment].join('#')
}

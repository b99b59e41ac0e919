import { parseCid } from '../../../core/cid/index.ts'
import { messageOf } from '../../../core/index.ts'
import { parseTime } from '../../../core/ipns/index.ts'
import { pinningServiceErrors } from '../errors.ts'
import { type Filter, MATCHES } from '../requests/filter.ts'
import { REQUEST_STATUSES } from '../requests/request.ts'

/** Bounds and default of the API (IPFS Pinning Service API 1.0.0). */
const MOST_CIDS = 10
const MOST_NAME = 255
const MOST_LIMIT = 1000
const USUAL_LIMIT = 10

/**
 * The filters of a list. Lists stand in one parameter with commas between, as version 1.0.0 has them, or in several of that name, as it was
 * before; metadata as JSON, or one by one, `meta[key]=value`, as the API's client library for JavaScript writes them.
 *
 * @throws E_PINNING_BAD, which names the parameter
 */
export function readFilter(query: URLSearchParams): Filter {
  const cids = listOf(query, 'cid')
  if (cids !== undefined && cids.length > MOST_CIDS) throw bad('cid', `more than ${MOST_CIDS}`)
  const name = query.get('name') ?? undefined
  if (name !== undefined && name.length > MOST_NAME) throw bad('name', `longer than ${MOST_NAME}`)
  return {
    cids: cids && unique(cids.map(text => checked('cid', () => parseCid(text)))),
    name,
    match: oneOf('match', MATCHES, query.get('match') ?? 'exact'),
    statuses: listOf(query, 'status')?.map(text => oneOf('status', REQUEST_STATUSES, text)) ?? ['pinned'],
    before: timeOf(query, 'before'),
    after: timeOf(query, 'after'),
    limit: limitOf(query.get('limit')),
    meta: metaOf(query)
  }
}

function listOf(query: URLSearchParams, name: string): readonly string[] | undefined {
  const texts = query.getAll(name)
  return texts.length === 0 ? undefined : texts.flatMap(text => text.split(','))
}

function unique<T>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map(item => [String(item), item])).values()]
}

function oneOf<T extends string>(name: string, known: readonly T[], text: string): T {
  const found = known.find(one => one === text)
  if (found === undefined) throw bad(name, `${JSON.stringify(text)} is none of ${known.join(', ')}`)
  return found
}

function timeOf(query: URLSearchParams, name: string): bigint | undefined {
  const text = query.get(name)
  return text === null ? undefined : checked(name, () => parseTime(text))
}

function limitOf(text: string | null): number {
  if (text === null) return USUAL_LIMIT
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > MOST_LIMIT) throw bad('limit', `${JSON.stringify(text)} is no number from 1 to ${MOST_LIMIT}`)
  return limit
}

function metaOf(query: URLSearchParams): Readonly<Record<string, string>> | undefined {
  const pairs = [...query].flatMap(([name, value]) => {
    const key = /^meta\[(.*)\]$/s.exec(name)?.[1]
    return key === undefined ? [] : [[key, value] as const]
  })
  const text = query.get('meta')
  if (text === null) return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
  const meta: unknown = checked('meta', () => JSON.parse(text))
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) throw bad('meta', 'it is no JSON object')
  for (const [key, value] of Object.entries(meta)) {
    if (typeof value !== 'string') throw bad('meta', `${JSON.stringify(key)} has a value that is no text`)
    pairs.push([key, value])
  }
  return Object.fromEntries(pairs)
}

function checked<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw bad(name, messageOf(error))
  }
}

function bad(name: string, why: string): Error {
  return pinningServiceErrors.E_PINNING_BAD(`${name}: ${why}`)
}

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { HeldInputs } from '../../core/body/index.ts'
import { NodeError } from '../../core/errors.ts'
import { readPin as readWanted } from '../../plugins/pinning-service/api/body.ts'
import { readFilter } from '../../plugins/pinning-service/api/query.ts'
import { statusOf } from '../../plugins/pinning-service/api/status.ts'
import { matches } from '../../plugins/pinning-service/requests/filter.ts'
import { REQUEST_STATUSES } from '../../plugins/pinning-service/requests/request.ts'
import { pinningServiceSettings } from '../../plugins/pinning-service/settings.ts'
import { readFailure, readPin, readPins } from '../../plugins/remote-pins/client/answers.ts'
import { attempt, type Fuzz, fuzz, same, textAmong } from './fuzz.ts'
import { pinningModel } from './pinning-model.ts'

const CIDS = ['bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy', 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn']
const PEER = '/p2p/12D3KooWQiRwjA4hn1MF34FMVfKVGra4hF8YfbQ1ocnHB4mhzGMC'
const TIMES = ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05+02:00', '2026-13-02T03:04:05Z', '0000-00-00T00:00:00Z']

/** Values of the members of the API's objects, right ones among them. */
const anything = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...CIDS, ...TIMES, ...REQUEST_STATUSES, PEER, '', 'x'.repeat(255), 'x'.repeat(256)) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(PEER, '/ip4/1.2.3.4/tcp/1', '/'), { maxLength: 22 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.string(), fc.string(), { maxKeys: 5 }) }
)

function withMembers(...names: readonly string[]) {
  return fc.record(Object.fromEntries(names.map(name => [name, anything])), { requiredKeys: [] })
}

const wanted = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...CIDS), withMembers('name', 'origins', 'meta')).map(([cid, more]) => ({ cid, ...more }))
  },
  { weight: 1, arbitrary: withMembers('cid', 'name', 'origins', 'meta') },
  { weight: 1, arbitrary: anything }
)

const status = withMembers('requestid', 'status', 'created', 'pin', 'delegates', 'info')

const statuses = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.tuple(status, wanted, fc.constantFrom(...TIMES)).map(([one, pin, created]) => ({ ...one, requestid: 'x', created, pin }))
  },
  { weight: 1, arbitrary: status }
)

const results = fc.record({
  count: fc.oneof(fc.nat(), anything),
  results: fc.oneof(fc.array(statuses, { maxLength: 3 }), anything)
})

const piece = fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.string() })

/** JSON, sometimes with a piece cut out or put in. */
function textOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return fc.tuple(value, fc.nat(300), fc.nat(300), piece).map(([of, from, to, put]) => {
    const text = JSON.stringify(of) ?? ''
    return put === undefined ? text : text.slice(0, from) + put + text.slice(to)
  })
}

const query = fc.array(
  fc.tuple(
    fc.constantFrom('cid', 'name', 'match', 'status', 'before', 'after', 'limit', 'meta', 'meta[a]', 'meta[__proto__]', 'other'),
    fc.oneof(
      textAmong([...CIDS, ...TIMES, ...REQUEST_STATUSES, ',', 'exact', 'ipartial', '1', '1000', '{"a":"b"}', '{"__proto__":"b"}', '%']),
      fc.constantFrom(...CIDS, ...TIMES, ...REQUEST_STATUSES, 'partial', '10', '{"a":"b"}')
    )
  ),
  { maxLength: 6 }
)

const { limits } = pinningServiceSettings.parse({})

function bodyOf(text: string): IncomingMessage {
  return Object.assign(Readable.from(text === '' ? [] : [Buffer.from(text)]), { headers: {} }) as unknown as IncomingMessage
}

/** What a reader makes of it; undefined where it refuses it by an error that is declared. */
async function read<T>(of: Promise<T>): Promise<T | undefined> {
  try {
    return await of
  } catch (error) {
    if (error instanceof NodeError) return undefined
    throw error
  }
}

function answer(text: string, code = 200): Response {
  return new Response(text, { status: code, headers: { 'Content-Type': 'application/json' } })
}

/** Both sides of the Pinning Service API: what clients may send a service, and services a client. */
export const pinning: readonly Fuzz[] = [
  fuzz('what a list of the pinning service is asked for is within its bounds, or refused in words', query, pairs => {
    const filter = attempt(() => readFilter(new URLSearchParams(pairs)))
    if (filter === undefined) return
    same(filter.limit >= 1 && filter.limit <= 1000 && (filter.cids?.length ?? 1) <= 10 && (filter.name?.length ?? 0) <= 255, true)
    same(
      filter.statuses.every(one => REQUEST_STATUSES.includes(one)),
      true
    )
    // whatever it is, it can be held against a request
    same(typeof matches(filter, { status: 'pinned', created: TIMES[0]!, pin: { cid: CIDS[0]! } }), 'boolean')
  }),
  fuzz(
    'a pin that is asked for is read as it was written, by the service and by a client, or refused in words',
    textOf(wanted),
    async text => {
      const held = new HeldInputs(1_000_000, 'x').begin()
      const pin = await read(readWanted(bodyOf(text), limits, held))
      if (pin === undefined) return
      same(await readWanted(bodyOf(JSON.stringify(pin)), limits, held), pin)
      const { cid, name = '', origins = [], meta = {} } = pin
      same(name.length <= 255 && origins.length <= 20 && Object.keys(meta).length <= 1000, true)
      const shown = statusOf({ owner: 'a', id: 'f', status: 'pinned', created: TIMES[0]!, pin }, [PEER])
      const seen = await readPin(answer(JSON.stringify(shown)))
      same([String(seen.cid), seen.name, seen.status, seen.created, seen.delegates], [cid, name, 'pinned', TIMES[0], [PEER]])
    }
  ),
  fuzz(
    'an answer of a pinning service is a pin, pins or a failure, or refused in words',
    textOf(fc.oneof(statuses, results, anything)),
    async text => {
      const pin = await read(readPin(answer(text)))
      if (pin !== undefined) same(pin.status === '' || REQUEST_STATUSES.includes(pin.status), true)
      const pins = await read(readPins(answer(text)))
      if (pins !== undefined) same(Number.isSafeInteger(pins.count) && pins.count >= 0, true)
      same((await readFailure(answer(text, 500))) instanceof NodeError, true)
    }
  ),
  pinningModel
]

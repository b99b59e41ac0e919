import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'

/** A pin as the service keeps it. */
export interface ServedPin {
  readonly requestid: string
  status: string
  readonly created: string
  readonly pin: { readonly cid: string; readonly name?: string; readonly origins?: readonly string[] }
  delegates: readonly string[]
}

/** A request that the service has had. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A pinning service of a test's own, on loopback. Its members may be changed while it runs. */
export interface PinningService {
  readonly url: string
  readonly pins: ServedPin[]
  readonly asked: Asked[]
  /** Whoever has one of these is let in. */
  readonly keys: Set<string>
  /** The state that a new pin has. */
  first: string
  /** Peers that a new pin names. */
  delegates: readonly string[]
  /** Called before each `GET` of a single pin. */
  look: (pin: ServedPin) => void
  /** Answers in the service's stead where it returns true. */
  instead: (asked: Asked, response: ServerResponse) => boolean
}

/** Starts one, and ends it with the test. */
export async function pinningService(t: ExecutionContext): Promise<PinningService> {
  const service = { pins: [], asked: [], keys: new Set(['secret']), first: 'pinned', delegates: [], look() {}, instead: () => false }
  const made = Object.assign(service as unknown as PinningService)
  let count = 0
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    let body = ''
    for await (const part of request) body += part
    const asked = { method: request.method ?? '', path: url.pathname, query: url.searchParams, headers: request.headers, body }
    made.asked.push(asked)
    if (!made.instead(asked, response)) answer(made, asked, response, () => String(++count))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return Object.assign(made, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api` })
}

/** Pins that differ by their names and by a nanosecond each. */
export function manyPins(count: number, cid: string): ServedPin[] {
  return Array.from({ length: count }, (_, i) => ({
    requestid: `r${i}`,
    status: 'pinned',
    created: `2026-01-02T03:04:05.${String(100_000_000 + i)}Z`,
    pin: { cid, name: `n${i}` },
    delegates: []
  }))
}

export function json(response: ServerResponse, status: number, value: unknown): true {
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify(value))
  return true
}

function answer(
  service: PinningService,
  { method, path, query, headers, body }: Asked,
  response: ServerResponse,
  next: () => string
): void {
  const refuse = (status: number, reason: string, details: string) => json(response, status, { error: { reason, details } })
  const key = /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1] ?? ''
  if (!service.keys.has(key)) return void refuse(401, 'UNAUTHORIZED', 'the token is unknown or has expired')
  const make = (): ServedPin => {
    const id = next()
    const created = `2026-02-01T00:00:00.${id.padStart(9, '0')}Z`
    const pin = { requestid: id, status: service.first, created, pin: JSON.parse(body), delegates: service.delegates }
    service.pins.push(pin)
    return pin
  }
  const [, id] = /^\/api\/pins(?:\/(.+))?$/.exec(path) ?? [undefined, 'nothing']
  if (id === undefined && method === 'POST') return void json(response, 202, make())
  if (id === undefined) return void json(response, 200, listed(service, query))
  const at = service.pins.findIndex(pin => pin.requestid === decodeURIComponent(id))
  if (at < 0) return void refuse(404, 'NOT_FOUND', 'there is no such pin')
  if (method === 'DELETE' || method === 'POST') {
    service.pins.splice(at, 1)
    if (method === 'POST') return void json(response, 202, make())
    response.writeHead(202).end()
    return
  }
  service.look(service.pins[at]!)
  json(response, 200, service.pins[at])
}

function listed({ pins }: PinningService, query: URLSearchParams) {
  const among = (name: string, value: string | undefined) =>
    !query.has(name) ||
    query
      .get(name)!
      .split(',')
      .includes(value ?? '')
  const before = query.get('before')
  const found = pins
    .filter(({ pin, status, created }) => among('status', status) && among('cid', pin.cid) && (before === null || created < before))
    .filter(({ pin }) => !query.has('name') || pin.name === query.get('name'))
    .sort((a, b) => (a.created < b.created ? 1 : -1))
  return { count: found.length, results: found.slice(0, Number(query.get('limit') ?? 10)) }
}

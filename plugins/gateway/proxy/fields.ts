import type { IncomingHttpHeaders } from 'node:http'

/** Fields that are about one connection, and go no further (RFC 9110, 7.6.1); the length and the host are written anew. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade'
])

/** Fields by which an answer speaks for its whole origin, and for longer than itself: that is the gateway's, with all its content and other peers. */
const OF_ORIGIN: ReadonlySet<string> = new Set([
  'accept-ch',
  'alt-svc',
  'clear-site-data',
  'critical-ch',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'report-to',
  'service-worker-allowed',
  'strict-transport-security'
])

/** The fields of a message that are handed on, name and value in turn: none of one connection, none that `Connection` names, and none for an origin. */
export function* handedOn(
  raw: readonly string[],
  { connection = '' }: IncomingHttpHeaders
): Generator<readonly [name: string, value: string]> {
  const named = new Set(connection.split(',').map(name => name.trim().toLowerCase()))
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase()
    if (!OF_CONNECTION.has(name) && !OF_ORIGIN.has(name) && !named.has(name)) yield [raw[i]!, raw[i + 1]!]
  }
}

import { goQuote } from '../../core/go/index.ts'
import { defineErrors } from '../../core/index.ts'

const status = (code: number, headers?: Readonly<Record<string, string>>) => () => ({ status: code, headers })

const tooMany = (seconds: number) => `Too many requests. Please retry after ${seconds} seconds.`
const comeBack = (seconds: number) => ({ status: 429, headers: { 'Retry-After': String(seconds), 'Cache-Control': 'no-store' } })

/** Errors of the gateway. Texts: Kubo 0.28 with boxo 0.19 (gateway), where they have one. */
export const gatewayErrors = defineErrors({
  E_GATEWAY_METHOD: {
    wire: 'client',
    http: status(405, { Allow: 'GET, HEAD, OPTIONS' }),
    message: (method: string) => `Method ${method} not allowed: read only access`
  },
  E_GATEWAY_ENCODING: { wire: 'client', http: status(400), message: (path: string) => `the path is not percent-encoded: ${goQuote(path)}` },
  E_GATEWAY_QUERY: {
    wire: 'client',
    http: status(414),
    message: (length: number, limit: number) => `the query is ${length} bytes long: this gateway takes up to ${limit}`
  },
  E_GATEWAY_FILENAME: {
    wire: 'client',
    http: status(400),
    message: (most: number) => `the filename that the query gives is longer than ${most} bytes`
  },
  E_GATEWAY_RASL: {
    wire: 'client',
    http: status(400),
    message: (cid: string) => `${goQuote(cid)} is no CID of DASL: version 1 in base32, raw or dag-cbor, by SHA2-256 or BLAKE3`
  },
  E_GATEWAY_DOTS: {
    wire: 'client',
    http: status(400),
    message: (path: string) => `invalid path ${goQuote(path)}: it holds '.' or '..' as an encoded segment, which would lead somewhere else`
  },
  E_GATEWAY_HOST: { wire: 'client', http: status(400), message: (host: string) => `invalid host: ${goQuote(host)}` },
  E_GATEWAY_HOSTS: { wire: 'client', http: status(400), message: () => 'too many Host headers' },
  E_GATEWAY_LABEL: {
    wire: 'client',
    http: status(400),
    message: (id: string) => `CID incompatible with DNS label length limit of 63: ${id}`
  },
  E_GATEWAY_INLINED: {
    wire: 'client',
    http: status(400),
    message: (name: string) => `inlined DNSLink incompatible with DNS label length limit of 63: ${goQuote(name)}`
  },
  E_GATEWAY_URI: {
    wire: 'client',
    http: status(400),
    message: (uri: string) => `failed to parse uri query parameter: parse ${goQuote(uri)}: invalid URL escape ${goQuote(escapeIn(uri))}`
  },
  // the reference's own text, with the verb that Go prints for an error that is none
  E_GATEWAY_URI_SCHEME: {
    wire: 'client',
    http: status(400),
    message: () => 'uri query parameter scheme must be ipfs or ipns: %!w(<nil>)'
  },
  E_GATEWAY_SERVICE_WORKER: {
    wire: 'client',
    http: status(400),
    message: () => 'navigator.serviceWorker: registration is not allowed for this scope'
  },
  E_GATEWAY_NAMESPACE: { wire: 'client', http: status(400), message: (why: string) => `invalid ipfs path: ${why}` },
  E_GATEWAY_PATH: { wire: 'client', http: status(400), message: (why: string) => why },
  E_GATEWAY_ACCEPT: {
    wire: 'client',
    http: status(400),
    message: () => 'error while processing the Accept header: mime: invalid media parameter'
  },
  E_GATEWAY_FORMAT: { wire: 'client', http: status(400), message: (type: string) => `unsupported format ${goQuote(type)}` },
  E_GATEWAY_RANGE: { wire: 'client', http: status(400), message: () => 'invalid range request: invalid range' },
  E_GATEWAY_TRUSTLESS_ONLY: {
    wire: 'client',
    http: status(406),
    message: () => 'only trustless requests are accepted on this gateway: https://specs.ipfs.tech/http-gateways/trustless-gateway/'
  },
  E_GATEWAY_NO_FORMAT: {
    wire: 'client',
    http: status(400),
    message: () =>
      'only trustless requests are accepted on this gateway, and this one says no form: ask with ?format=raw or ?format=car: https://specs.ipfs.tech/http-gateways/trustless-gateway/'
  },
  E_GATEWAY_CODEC: {
    wire: 'client',
    http: status(406),
    message: (type: string, codec: string) =>
      `format ${goQuote(type)} requested but block has codec ${goQuote(codec)}: codec conversion is not supported, fetch raw block with ?format=raw and convert client-side`
  },
  E_GATEWAY_NOT_LOCAL: { http: status(412), message: (path: string) => `${goQuote(path)} not in local datastore` },
  E_GATEWAY_INDEX: {
    http: status(422),
    message: (path: string) => `${goQuote(path)} could not be read: file isn't a regular file`
  },
  E_GATEWAY_REMAINDER: {
    http: status(501),
    message: (pathInside: string, path: string, cid: string) =>
      `${goQuote(pathInside)} of ${goQuote(path)} could not be returned: reading IPLD Kinds other than Links (CBOR Tag 42) is not implemented: try reading ${goQuote(`/ipfs/${cid}`)} instead`
  },
  E_GATEWAY_NO_NAMES: {
    http: status(501),
    message: () => "could not resolve name: that needs the plugin 'name', which is not loaded on this node"
  },
  E_GATEWAY_SIZE: { message: (size: bigint) => `the file declares a size of ${size} bytes` },
  E_GATEWAY_TIMEOUT: {
    http: status(504),
    message: (cid: string, ms: number) =>
      `Unable to retrieve content within timeout period: the block ${cid} did not come within ${ms} ms (plugins.gateway.retrievalTimeoutMs)`
  },
  E_GATEWAY_DURATION: {
    http: status(504),
    message: (cid: string, ms: number) =>
      `Unable to retrieve content within timeout period: the request took more than ${ms} ms (plugins.gateway.requestTimeoutMs), last for the block ${cid}`
  },
  E_GATEWAY_BUSY: { wire: 'rateLimited', http: comeBack, message: tooMany },
  E_GATEWAY_BUSY_CALLER: {
    wire: 'rateLimited',
    http: comeBack,
    message: (seconds: number, most: number) =>
      `${tooMany(seconds)} ${most} requests of yours are being answered (plugins.gateway.limits.requestsPerCaller).`
  },
  E_GATEWAY_RATE: {
    wire: 'rateLimited',
    http: comeBack,
    message: (seconds: number, most: number) => `${tooMany(seconds)} You may make ${most} a second (plugins.gateway.limits.perSecond).`
  },
  E_GATEWAY_P2P_PATH: {
    wire: 'client',
    http: status(400),
    message: (path: string) => `failed to parse request: invalid request path '${path}'`
  },
  E_GATEWAY_PEER: { http: status(502), message: (peer: string, why: string) => `the peer ${peer} gave no answer: ${why}` },
  E_GATEWAY_PEER_LATE: {
    http: status(504),
    message: (peer: string) =>
      `the peer ${peer} did not answer in time (plugins.gateway.retrievalTimeoutMs until it begins, requestTimeoutMs until it ends)`
  },
  E_ROUTING_RECORDS: {
    wire: 'rateLimited',
    http: comeBack,
    message: (seconds: number, most: number, setting: string) => `${tooMany(seconds)} Records of ${most} names were put today (${setting}).`
  },
  E_ROUTING_REQUEST: { wire: 'client', http: status(400), message: (why: string) => why },
  E_ROUTING_TYPE: { wire: 'client', http: status(400), message: () => 'no supported content types' },
  E_ROUTING_ABSENT: { http: status(404), message: () => 'delegate error: routing: not found' },
  E_ROUTING_DELEGATE: { http: status(500), message: (why: string) => `delegate error: ${why}` },
  E_GATEWAY_SHORT: { message: () => 'the file has no bytes where it declares to have some' },
  E_REDIRECTS_FILE: {
    message: (path: string, why: string) => `trouble processing _redirects file at ${goQuote(path)}: ${why}`
  },
  E_REDIRECTS_RULE: { message: (why: string) => `could not parse _redirects: ${why}` },
  E_REDIRECTS_TARGET: {
    message: (most: number) => `the target of a rule in _redirects has more than ${most} characters with its placeholders filled in`
  }
})

/** The escape that is none. */
function escapeIn(text: string): string {
  return /%(?![0-9a-f]{2})[\s\S]{0,2}/i.exec(text)?.[0] ?? text
}

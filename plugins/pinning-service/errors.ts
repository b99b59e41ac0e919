import { defineErrors, type HttpError } from '../../core/index.ts'

/** A failure in the words of the API: a reason for programs, and details for people. */
function failure(status: number, reason: string, details: string, headers: Readonly<Record<string, string>> = {}): HttpError {
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ error: { reason, details } })
  }
}

const NO_TOKEN = 'the access token is missing, unknown or expired'
const FAILED = 'the node could not do it; its log says why'
const SLOWED = 'too many wrong tokens came from this address'

const bad = (what: string) => `bad request: ${what}`
const absent = (id: string) => `there is no pin '${id}' of this token`
const busy = (what: string, setting: string) => `${what} (plugins.pinning-service.limits.${setting})`

/** Errors for clients of the API, and of the commands beside it. */
export const pinningServiceErrors = defineErrors({
  E_PINNING_TOKEN: {
    wire: 'forbidden',
    message: () => NO_TOKEN,
    http: () => failure(401, 'UNAUTHORIZED', NO_TOKEN, { 'WWW-Authenticate': 'Bearer' })
  },
  E_PINNING_GUESSED: {
    wire: 'rateLimited',
    message: () => SLOWED,
    http: () => failure(429, 'TOO_MANY_REQUESTS', SLOWED, { 'Retry-After': '1' })
  },
  E_PINNING_RATE: {
    wire: 'rateLimited',
    message: (_: number, perSecond: number) => busy(`more than ${perSecond} requests a second`, 'perSecond'),
    http: (wait: number, perSecond: number) =>
      failure(429, 'TOO_MANY_REQUESTS', busy(`more than ${perSecond} requests a second`, 'perSecond'), { 'Retry-After': String(wait) })
  },
  E_PINNING_BAD: { wire: 'client', message: bad, http: (what: string) => failure(400, 'BAD_REQUEST', what) },
  E_PINNING_BODY_SIZE: {
    wire: 'client',
    message: (most: number) => busy(`the body has more than ${most} bytes`, 'bodyBytes'),
    http: (most: number) => failure(413, 'PAYLOAD_TOO_LARGE', busy(`the body has more than ${most} bytes`, 'bodyBytes'))
  },
  E_PINNING_BODY_LATE: {
    wire: 'client',
    message: (most: number) => busy(`the body was not there in ${most} ms`, 'bodyTimeout'),
    http: (most: number) => failure(408, 'REQUEST_TIMEOUT', busy(`the body was not there in ${most} ms`, 'bodyTimeout'))
  },
  E_PINNING_INPUTS_HELD: {
    message: (most: number) => busy(`all bodies together would have more than ${most} bytes`, 'maxInputs'),
    http: (most: number) =>
      failure(503, 'BUSY', busy(`all bodies together would have more than ${most} bytes`, 'maxInputs'), { 'Retry-After': '1' })
  },
  E_PINNING_INTERNAL: {
    message: () => FAILED,
    http: () => failure(500, 'INTERNAL_SERVER_ERROR', FAILED)
  },
  E_PINNING_PATH: {
    wire: 'client',
    message: () => 'there is nothing but /pins and /pins/{requestid}',
    http: () => failure(404, 'NOT_FOUND', 'there is nothing but /pins and /pins/{requestid}')
  },
  E_PINNING_METHOD: {
    wire: 'client',
    message: (method: string, allowed: string) => `${method} is not allowed here: ${allowed}`,
    http: (method: string, allowed: string) =>
      failure(405, 'METHOD_NOT_ALLOWED', `${method} is not allowed here: ${allowed}`, { Allow: allowed })
  },
  E_PINNING_ABSENT: { wire: 'client', message: absent, http: (id: string) => failure(404, 'NOT_FOUND', absent(id)) },
  E_PINNING_MOST: {
    wire: 'client',
    message: (most: number, setting: string) => busy(`there are ${most} requests for pins, the most that are kept`, setting),
    http: (most: number, setting: string) =>
      failure(409, 'INSUFFICIENT_FUNDS', busy(`there are ${most} requests for pins, the most that are kept`, setting))
  },
  E_PINNING_DENIED: {
    wire: 'client',
    message: (cid: string, _: number) => `the node does not keep ${cid}: a denylist names it`,
    http: (cid: string, status: number) => failure(status, 'DENIED', `the node does not keep ${cid}: a denylist names it`)
  },
  E_PINNING_STALLED: {
    message: (most: number) => busy(`nothing of it came in ${most} ms`, 'stallTimeout')
  },
  E_PINNING_LONG: { message: (most: number) => busy(`it was not there in ${most} ms`, 'pinTimeout') },
  E_PINNING_NODES: { message: (most: number) => busy(`it has more than ${most} nodes`, 'nodes') },
  E_PINNING_TOKEN_NAME: {
    wire: 'client',
    message: () => 'pin/service/token/new: the name is empty, or longer than 128 characters'
  },
  E_PINNING_TOKEN_EXISTS: {
    wire: 'client',
    message: (name: string) => `pin/service/token/new: there is a token '${name}' already: choose another name, or remove that one first`
  },
  E_PINNING_TOKEN_ABSENT: { wire: 'client', message: (name: string) => `pin/service/token/rm: there is no token '${name}'` },
  E_PINNING_TOKEN_EXPIRES: {
    wire: 'client',
    message: () => 'pin/service/token/new: a token expires after a time that is more than nothing, such as 720h'
  },
  E_PINNING_TOKENS_MOST: {
    wire: 'client',
    message: (most: number) => `pin/service/token/new: ${busy(`there are ${most} tokens, the most that this node takes`, 'tokens')}`
  },
  E_PINNING_REQUEST: {
    wire: 'client',
    message: (token: string, id: string) => `pin/service/rm: there is no request '${id}' of the token '${token}'`
  },
  E_PINNING_RECORD: {
    message: (key: string, why: string) => `the pinning service cannot read its record ${key}: ${why}`
  }
})

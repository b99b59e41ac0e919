import { z } from 'zod'
import { DEFAULT_LEVEL, RPC_LEVELS } from '../../core/contract/level.ts'
import { setting } from '../../core/contract/setting.ts'

const whole = (least: number) => z.int(`a whole number, ${least} or more`).min(least, `a whole number, ${least} or more`)

/** Bounds of what one caller can make the RPC listener hold. Sizes in bytes, times as durations, which are read into milliseconds. */
const rpcLimits = z.strictObject({
  headerBytes: whole(1024).default(16_384).describe("Size of a request's header fields and path."),
  queryBytes: whole(1024).default(1_048_576).describe("Size of a request's query string."),
  arguments: whole(1).default(65_536).describe('Number of arguments of a call, those in a body included.'),
  argumentBytes: whole(1024).default(16_777_216).describe('Size of the arguments that come in a body, all together.'),
  parts: whole(1).default(1_000_000).describe('Number of parts of an upload.'),
  partHeaderBytes: whole(256).default(16_384).describe('Size of the header fields of one part of an upload.'),
  concurrentRequests: whole(1).default(1024).describe('Requests that run at the same time; the next ones are answered 503.'),
  requestsPerCaller: whole(0)
    .default(0)
    .describe(
      'Of these, those of one caller: of one secret of API.Authorizations, else of one address. 0: seven eighths of concurrentRequests.'
    ),
  controlRequests: whole(1)
    .default(64)
    .describe(
      'Requests for the control of the node (shutdown, version, id, diag/cmds, …) that find none of the others; seven eighths of them for one caller.'
    ),
  headerTimeoutMs: setting.duration('1m').describe("Time until a request's header must be there. 0: without limit."),
  bodyTimeoutMs: setting
    .duration('5m')
    .describe('Time in which nothing of a body comes while a command waits for more of it. A slow one goes on. 0: without limit.'),
  answerTimeoutMs: setting
    .duration('5m')
    .describe(
      "Time that a plugin's route has to begin its answer, from the last of the request on; then it is answered 503. 0: without limit."
    ),
  idleTimeoutMs: setting
    .duration('0s')
    .describe('Time a connection may be silent while a request runs. 0: without limit, as long adds need.'),
  keepAliveMs: setting.duration('65s').describe('Time an idle connection is kept for the next request.'),
  stopGraceMs: setting.duration('5s').describe('Time that running requests get to finish when the node stops.')
})

/** The block `rpc`: how the RPC listener serves. */
export const rpcSettings = z.strictObject({
  address: z
    .string('a multiaddr')
    .startsWith('/', 'a multiaddr, e.g. /ip4/127.0.0.1/tcp/5001')
    .optional()
    .describe('Multiaddr to listen on, instead of Addresses.API of the node configuration.'),
  allowedHosts: z
    .array(z.string('a host name'), 'a list of host names')
    .default([])
    .describe("Names that a Host header may carry beside loopback ones and the listener's own address. '*': any."),
  level: z
    .preprocess(value => (typeof value === 'number' ? String(value) : value), z.enum(RPC_LEVELS, RPC_LEVELS.join(' or ')))
    .default(DEFAULT_LEVEL)
    .describe(
      'The version of Kubo whose answers this node gives where versions differ. The environment variable HOLDFAST_RPC_LEVEL goes before it.'
    ),
  lateFailure: z
    .enum(['break', 'finish'], 'break or finish')
    .default('break')
    .describe(
      'After an error in the middle of an answer: break leaves the body unfinished, so that nobody takes it for whole; finish ends it as Kubo does. The X-Stream-Error trailer tells in both cases.'
    ),
  checkReplies: z
    .boolean('true or false')
    .default(false)
    .describe("Hold every answer against its command's schema. Slow; for development."),
  limits: rpcLimits.default(rpcLimits.parse({})).describe('Bounds of what one caller can make this listener hold.')
})

export type RpcSettings = z.output<typeof rpcSettings>
export type RpcLimits = z.output<typeof rpcLimits>

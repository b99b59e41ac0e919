import { z } from 'zod'
import { isProxy } from '../../core/callers/index.ts'
import { setting, settings, type Token } from '../../core/index.ts'

const positive = z.int('a whole number, 1 or more').min(1, 'a whole number, 1 or more')
const whole = z.int('a whole number, 0 or more').min(0, 'a whole number, 0 or more')

export const gatewaySettings = z.strictObject({
  retrievalTimeoutMs: setting
    .duration('30s')
    .describe('Time that one block may take to come. Before the first byte of an answer it is 504 then. 0: without limit.'),
  requestTimeoutMs: setting
    .duration('1h')
    .describe('Time that one request may take altogether, looked at whenever a block is asked for. 0: without limit.'),
  stalledTimeoutMs: setting
    .duration('2m')
    .describe(
      'Time for which a client may take nothing of an answer that is being sent to it; its connection is broken off then. 0: without limit.'
    ),
  trustedProxies: z
    .array(z.string().refine(isProxy, 'an IP address, or a network such as 10.0.0.0/8'))
    .default([])
    .describe('Proxies whose X-Forwarded-For says who asks: addresses, and networks such as 10.0.0.0/8.'),
  rasl: z
    .boolean()
    .default(false)
    .describe('Whether blocks are served by RASL as well, at `/.well-known/rasl/`, where their CIDs are of DASL: raw or dag-cbor.'),
  limits: z
    .strictObject({
      requests: positive.default(768).describe('Requests that are answered at the same time; the next ones are told to come back (429).'),
      requestsPerCaller: whole
        .default(0)
        .describe('Of these, requests of one caller: of one address, of IPv6 its first 64 bits. 0: seven eighths.'),
      perSecond: z
        .number('a number, 0 or more')
        .min(0, 'a number, 0 or more')
        .default(0)
        .describe(
          'Requests that one caller may make in a second, on average; the next ones are told to come back (429). 0: without limit.'
        ),
      burst: positive.default(100).describe('Requests that it may make at once after a time of silence, where `perSecond` is set.'),
      callers: positive.default(10_000).describe('Callers whose requests are counted for `perSecond`; of more, the oldest begin anew.'),
      retryAfterSeconds: setting.duration('1m', { min: '1s', number: 's' }).describe('Time after which they are told to come back.'),
      queryBytes: positive.default(65_536).describe('Length of the query of a request, in bytes; a longer one is refused (414).'),
      ranges: positive.default(32).describe('Ranges of one request; the file is sent as a whole where more are asked for.'),
      previewBytes: positive
        .default(262_144)
        .describe('Size of a block of data up to which it is read before it is sent, and a browser is shown its values.'),
      records: positive
        .default(1000)
        .describe(
          'Names whose records callers may put in a day, all together, where `Gateway.ExposeRoutingAPI` is set; further ones are told to come back (429).'
        ),
      recordsPerCaller: positive.default(100).describe('Of these, names of one caller.')
    })
    .prefault({})
    .describe('How much a caller may ask of the gateway.')
})

export type GatewaySettings = z.output<typeof gatewaySettings>

export const GatewaySettings: Token<GatewaySettings> = settings<typeof gatewaySettings>()

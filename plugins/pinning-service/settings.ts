import { z } from 'zod'
import { isProxy } from '../../core/callers/index.ts'
import { listenerSettings, setting, settings, type Token } from '../../core/index.ts'

const positive = z.int().min(1)
const time = (usual: string, about: string) => setting.duration(usual, { min: '1ms' }).describe(`${about}.`)

export const pinningServiceSettings = z.strictObject({
  ...listenerSettings(5006),
  trustedProxies: z
    .array(z.string().refine(isProxy, 'an IP address, or a network such as 10.0.0.0/8'), 'a list of addresses and networks')
    .default([])
    .describe('Proxies in front of the listener, whose `X-Forwarded-For` is believed.'),
  privateOrigins: z
    .boolean()
    .default(false)
    .describe('Whether this node connects with `origins` of a request that are loopback or private addresses, or names of such, too.'),
  delegates: z
    .array(z.string('a multiaddr'), 'a list of multiaddrs')
    .max(20)
    .default([])
    .describe('Multiaddrs that clients are told to connect with, each with its peer. Default: those that peers are told.'),
  limits: z
    .strictObject({
      requests: positive.default(100_000).describe('Requests for pins that are kept, of all tokens together.'),
      requestsPerToken: positive.default(10_000).describe('Of these, requests of one token.'),
      tokens: positive.default(1000).describe('Tokens.'),
      perSecond: z.number().min(0.001).default(20).describe('Requests of one token in a second, on average.'),
      burst: positive.default(100).describe('Requests that it may make at once after a time of silence.'),
      bodyBytes: positive.default(65_536).describe('Bytes of the body of a request.'),
      maxInputs: positive.default(16_777_216).describe('Bytes of all bodies together that are still coming or are worked on.'),
      bodyTimeout: time('30s', 'How long a body may take to come'),
      answerBytes: positive.default(1_048_576).describe('Bytes of the requests that one answer lists; the next page has the others.'),
      parallel: positive
        .default(4)
        .describe('Pins that are worked on at a time, shared evenly among the tokens that wait; the others are queued.'),
      nodes: positive.default(1_000_000).describe('Nodes of one pin. One that has more fails.'),
      stallTimeout: time('5m', 'How long a pin may go without a node that is new to it, before it fails'),
      pinTimeout: time('24h', 'How long one pin may take'),
      originTimeout: time('10s', 'How long connecting to the `origins` of a request may take, before the pinning goes on without')
    })
    .prefault({})
    .describe('How much clients may ask of a node.')
})

export type PinningServiceSettings = z.output<typeof pinningServiceSettings>
export type PinningServiceLimits = PinningServiceSettings['limits']

export const PinningServiceSettings: Token<PinningServiceSettings> = settings<typeof pinningServiceSettings>()

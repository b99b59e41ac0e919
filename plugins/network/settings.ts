import { z } from 'zod'
import { setting, settings, type Token } from '../../core/index.ts'

const time = (usual: string, about: string) => setting.duration(usual, { min: '1ms', max: '1h' }).describe(`${about}.`)

export const networkSettings = z.strictObject({
  dialTimeout: time('15s', 'How long the dial of one address may take'),
  dialTimeoutPrivate: time('5s', 'The same of an address on a private network'),
  connectTimeout: time('1m', 'How long all addresses of a peer together may take'),
  negotiationTimeout: time('10s', 'How long two peers may take to agree on the protocol of a stream, or on how a connection is secured'),
  maxParallelDials: z
    .int()
    .min(1)
    .default(100)
    .describe(
      'Most addresses that are dialled at a time. A peer with none under way has one before any has another, for which there is half of that.'
    ),
  maxQueuedDials: z.int().min(1).default(500).describe('Most addresses that wait for their dial; more are refused.'),
  maxAddressesToDial: z.int().min(1).default(64).describe('Most addresses of one peer that are tried in one dial.'),
  maxPendingInbound: z
    .int()
    .min(1)
    .default(64)
    .describe(
      'Most inbound connections that are not secured yet, half of them of one address; with more, the oldest of the address with the most is closed.'
    ),
  inboundPerSecond: z.int().min(1).default(100).describe('Most inbound connections of one address a second; more are refused.'),
  maxRemembered: z
    .int()
    .min(65_536)
    .default(32 * 1024 * 1024)
    .describe(
      'Most bytes of what is remembered of peers: addresses, protocols, keys; beyond, peers that are not connected are forgotten, those that were not needed for longest first.'
    ),
  bootstrapInterval: time('30s', 'How often the node looks whether it has enough peers'),
  minPeers: z.int().min(0).default(4).describe('Fewer peers than this, and the node dials some of `Bootstrap`.'),
  peeringDelay: time(
    '5s',
    'How long a peer of `Peering` is waited for, half as long again, and more by chance, until the first try to reach it; each next one waits longer likewise'
  ),
  gateways: z
    .array(z.url({ protocol: /^https?$/ }))
    .max(16)
    .default([])
    .describe(
      'Routers that are asked for a port, by the addresses of their UPnP descriptions (IGD 2), in the place of those that a search finds.'
    ),
  wss: z
    .strictObject({
      certificate: z.string().min(1).describe('The file with the certificate and those that it is signed by, in PEM.'),
      key: z.string().min(1).describe('The file with its private key, in PEM.'),
      lookInterval: time('1m', 'How often the files are looked at for a certificate that was renewed')
    })
    .optional()
    .describe('The certificate for listening on secure WebSockets (`/tls/ws`); names of files start at the folder of the repo.'),
  agentSuffix: z.string().max(64).optional().describe('Added to the agent version that peers see. `daemon --agent-version-suffix` sets it.')
})

export type NetworkSettings = z.output<typeof networkSettings>
export const NetworkSettings: Token<NetworkSettings> = settings<typeof networkSettings>()

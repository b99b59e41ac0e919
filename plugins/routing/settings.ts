import { z } from 'zod'
import { setting, settings, type Token } from '../../core/index.ts'

const time = (usual: string, about: string) => setting.duration(usual, { min: '1ms', max: '168h' }).describe(`${about}.`)

export const routingSettings = z.strictObject({
  queryTimeout: time('1m', 'How long a look-up in the DHT may take'),
  requestTimeout: time('10s', 'How long a peer of the DHT may take to answer'),
  idleTimeout: time('1m', 'How long a peer may keep a stream open without a request'),
  maxRequest: z.int().min(1024).default(65_536).describe('Most bytes of a request that a peer of the DHT sends.'),
  maxStreams: z.int().min(1).default(32).describe('Most streams of one connection on which the DHT is asked.'),
  maxRecords: z.int().min(0).default(100_000).describe('Most provider records, and most values, that are kept for other peers.'),
  maxRecordBytes: z.int().min(0).default(67_108_864).describe('Most bytes of either.'),
  maxRecordsOfPeer: z.int().min(0).default(10_000).describe('Most of either that are kept for one peer.'),
  maxProvidersOfBlock: z.int().min(1).default(100).describe('Most providers of one block that are kept.'),
  recordValidity: time('48h', 'How long a record is kept that is not sent again'),
  sweepInterval: time('1h', 'How often records that are too old are removed'),
  refreshInterval: time('10m', 'How often the node looks for the peers that are closest to it'),
  fewPeers: z
    .int()
    .min(0)
    .max(1000)
    .default(10)
    .describe(
      'With so many peers in a table or fewer, the node looks for more as soon as one comes into it; 0: it waits for the next time.'
    ),
  httpTimeout: time('15s', 'How long a delegated router may take for an answer'),
  httpMaxBytes: z.int().min(1024).default(1_048_576).describe('Most bytes of an answer of a delegated router.')
})

export type RoutingSettings = z.output<typeof routingSettings>
export const RoutingSettings: Token<RoutingSettings> = settings<typeof routingSettings>()

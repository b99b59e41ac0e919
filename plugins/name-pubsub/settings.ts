import { z } from 'zod'
import { setting, settings, type Token } from '../../core/index.ts'

export const namePubsubSettings = z.strictObject({
  enabled: z.boolean().optional().describe('Whether names travel over pubsub. Default: `Ipns.UsePubsub` of the node configuration.'),
  maxNames: z
    .int()
    .min(1)
    .max(65_536)
    .default(900)
    .describe(
      "Most names that are subscribed to; beyond, the one that was asked for the longest ago is given up, this node's own last. Peers on libp2p for JavaScript know about 950 topics of a peer."
    ),
  maxFetches: z
    .int()
    .min(1)
    .max(1024)
    .default(16)
    .describe('Most peers that are asked at a time for the records of names that they have subscribed to, too.'),
  maxWaiting: z.int().min(1).default(4096).describe('Most such questions that wait; further ones are not asked.'),
  maxInbound: z.int().min(1).max(1024).default(8).describe('Most records that one peer may ask for at a time.'),
  fetchTimeout: setting.duration('10s', { min: '1ms', max: '10m' }).describe('How long a peer has to answer, or to ask.'),
  rebroadcastInterval: setting
    .duration('1m', { min: '1s', max: '24h' })
    .describe('How often the records of all these names are sent to their topics again.')
})

export type NamePubsubSettings = z.output<typeof namePubsubSettings>
export const NamePubsubSettings: Token<NamePubsubSettings> = settings<typeof namePubsubSettings>()

import { z } from 'zod'
import { setting, settings, type Token } from '../../core/index.ts'

const bytes = (least: number, value: number, about: string) => z.int().min(least).default(value).describe(about)

export const gossipsubSettings = z.strictObject({
  enabled: z
    .boolean()
    .optional()
    .describe('Whether pubsub is on. Default: `Pubsub.Enabled` or `Ipns.UsePubsub` of the node configuration.'),
  maxMessage: bytes(1024, 1024 * 1024, 'Most bytes of a message. A peer that sends more is listened to no more.'),
  maxPending: bytes(1024, 4 * 1024 * 1024, 'Most bytes of messages that wait for one subscriber; further ones are dropped for it.'),
  maxCached: bytes(
    1024 * 1024,
    32 * 1024 * 1024,
    'Most bytes of messages of the last seconds that are kept for peers that missed them; beyond, the oldest are given up.'
  ),
  maxUnsent: bytes(64 * 1024, 8 * 1024 * 1024, 'Most bytes that wait for one peer to read them; with more, pubsub leaves it.'),
  maxSeen: z.int().min(1024).default(100_000).describe('Most messages that are remembered as seen; beyond, the oldest are forgotten.'),
  maxAhead: setting
    .duration(undefined, { max: '2562047h' })
    .describe(
      'How far the time of a message may be ahead of the clock, by its number; messages beyond are dropped. Default: it is not looked at, as some senders number by chance.'
    )
})

export type GossipsubSettings = z.output<typeof gossipsubSettings>
export const GossipsubSettings: Token<GossipsubSettings> = settings<typeof gossipsubSettings>()

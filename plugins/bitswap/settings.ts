import { z } from 'zod'
import { setting, settings, type Token } from '../../core/index.ts'

const count = (value: number, about: string) => z.int().min(1).default(value).describe(about)
const time = (usual: string, about: string) => setting.duration(usual, { min: '1ms', max: '1h' }).describe(`${about}.`)

export const bitswapSettings = z.strictObject({
  maxAsked: z.int().min(1).max(1000).default(256).describe('Most blocks that one peer is asked for at a time.'),
  maxWants: count(1024, 'Most wants of one peer that are remembered while the blocks are not here; beyond, the oldest are forgotten.'),
  maxForgotten: count(65_536, 'Most wants of one peer that were forgotten so; with more, the peer is dropped.'),
  maxQueued: count(1024, 'Most wants of one peer that wait for their answer; beyond, nothing more is read of the peer.'),
  maxStray: count(64, 'Most blocks that one peer may send without being asked; with more, the peer is dropped.'),
  maxPartial: z
    .int()
    .min(16 * 1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe('Most bytes that messages hold that are not whole yet, of all peers together; of one peer, a quarter of it.'),
  maxSending: z
    .int()
    .min(4 * 1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe('Most bytes of blocks that are being sent, to all peers together.'),
  maxBlock: z
    .int()
    .min(1024)
    .max(4 * 1024 * 1024 - 1024)
    .default(2 * 1024 * 1024)
    .describe('Size of the largest block that is sent to peers: they are told that larger ones are not here.'),
  messageTimeout: time('30s', 'How long a message that was begun may stand still, and a peer may take to read one of no length'),
  slowestReader: count(12_500, 'Bytes a second that a peer must read at least, beyond `messageTimeout`; else it is dropped.'),
  idleStream: time('5s', 'How long a stream is kept for the next message'),
  answerTimeout: time('5s', 'How long a peer that was asked for blocks may send nothing at most until others are asked as well'),
  providerDelay: time('1s', 'How long a block is looked for among the peers that are connected until others are searched for'),
  rebroadcast: time('1m', 'How often all peers are asked again for what nobody has had'),
  banTime: time('1m', 'How long a peer that was dropped is kept away')
})

export type BitswapSettings = z.output<typeof bitswapSettings>
export const BitswapSettings: Token<BitswapSettings> = settings<typeof bitswapSettings>()

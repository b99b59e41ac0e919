import { z } from 'zod'
import { MAX_INPUT } from '../../core/dag/codecs/git/git.ts'
import { MAX_VALUES } from '../../core/dag/codecs/json/decode.ts'
import { settings, type Token } from '../../core/index.ts'

const MiB = 1024 * 1024

export const dagSettings = z.strictObject({
  maxInput: z
    .int()
    .min(1)
    .default(MAX_INPUT)
    .describe('Most bytes of input for one node, uncompressed too: it is read as a whole, and nothing else is answered meanwhile.'),
  maxInputs: z
    .int()
    .min(1)
    .default(1024 * MiB)
    .describe('Most bytes of input that all calls of `dag/put` together hold.'),
  maxOutput: z
    .int()
    .min(1)
    .default(64 * MiB)
    .describe('Most bytes that one node may be written in.'),
  maxValues: z
    .int()
    .min(1)
    .default(MAX_VALUES)
    .describe(
      'Most values in one block of JSON, lists and maps among them; in a git object a line counts as one, an entry of a tree as four.'
    ),
  maxCarHeader: z
    .int()
    .min(64)
    .default(32 * MiB)
    .describe('Most bytes of the header of a CAR; 32 MiB in Kubo.'),
  maxCarSection: z
    .int()
    .min(64)
    .default(8 * MiB)
    .describe('Most bytes of a section of a CAR, its CID and its block, also where big blocks are allowed; 8 MiB in Kubo.'),
  maxCarRoots: z.int().min(1).default(65_536).describe('Most roots that the CARs of one call may name.'),
  maxHeld: z
    .int()
    .min(1)
    .default(128 * MiB)
    .describe('Most bytes of nodes that one walk keeps because they still have links to follow: how deep a graph may be nested.'),
  maxVisits: z.int().min(1).default(1_000_000_000).describe('Most blocks that one walk through a graph visits.')
})

export type DagSettings = z.output<typeof dagSettings>

export const DagSettings: Token<DagSettings> = settings<typeof dagSettings>()

import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

const MiB = 1024 * 1024

export const dagSettingsSchema = z.strictObject({
  /** Most bytes of input for one node: it is read as a whole, and nothing else is answered meanwhile. */
  maxInput: z
    .int()
    .min(1)
    .default(32 * MiB),
  /** Most bytes that one node may be written in. */
  maxOutput: z
    .int()
    .min(1)
    .default(64 * MiB),
  /** Most blocks that one walk through a graph visits. */
  maxVisits: z.int().min(1).default(1_000_000_000)
})

export type DagSettings = z.output<typeof dagSettingsSchema>

export const DagSettings: Token<DagSettings> = settings<typeof dagSettingsSchema>()

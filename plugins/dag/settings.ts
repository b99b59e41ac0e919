import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

export const dagSettingsSchema = z.strictObject({
  /** Most bytes that one node may take, as input and as output. */
  maxNodeSize: z
    .int()
    .min(1)
    .default(64 * 1024 * 1024),
  /** Most blocks that one walk through a graph visits. */
  maxVisits: z.int().min(1).default(1_000_000_000)
})

export type DagSettings = z.output<typeof dagSettingsSchema>

export const DagSettings: Token<DagSettings> = settings<typeof dagSettingsSchema>()

import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

const milliseconds = (value: number, about: string) => z.int().min(1).max(604_800_000).default(value).describe(`${about}, in milliseconds.`)

export const provideSettings = z.strictObject({
  provideConcurrency: z.int().min(1).max(256).default(8).describe('Most blocks that are provided at a time.'),
  provideTimeout: milliseconds(120_000, 'How long the providing of one block may take'),
  firstReprovide: milliseconds(60_000, 'How long after its start the node provides everything again, where that is due'),
  maxQueued: z.int().min(0).default(1_000_000).describe('Most new blocks that wait to be provided; they lie in the repo.'),
  provideNew: z.boolean().default(true).describe('Whether what is added or pinned is provided at once, and not only with the next pass.')
})

export type ProvideSettings = z.output<typeof provideSettings>
export const ProvideSettings: Token<ProvideSettings> = settings<typeof provideSettings>()

import { z } from 'zod'
import { setting, settings, type Token } from '../../core/index.ts'

const time = (usual: string, about: string) => setting.duration(usual, { min: '1ms', max: '168h' }).describe(`${about}.`)

export const provideSettings = z.strictObject({
  provideConcurrency: z.int().min(1).max(256).default(8).describe('Most blocks that are provided at a time.'),
  provideTimeout: time('2m', 'How long the providing of one block may take'),
  firstReprovide: time('1m', 'How long after its start the node provides everything again, where that is due'),
  maxQueued: z.int().min(0).default(1_000_000).describe('Most new blocks that wait to be provided; they lie in the repo.'),
  provideNew: z.boolean().default(true).describe('Whether what is added or pinned is provided at once, and not only with the next pass.')
})

export type ProvideSettings = z.output<typeof provideSettings>
export const ProvideSettings: Token<ProvideSettings> = settings<typeof provideSettings>()

/** How long a node without peers waits before it tries again to tell anybody, in milliseconds, if none comes before. */
export const ALONE = 60_000

import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

export const pinSettings = z.strictObject({
  collect: z
    .enum(['on-request', 'periodic'])
    .default('on-request')
    .describe(
      'When garbage is collected: when repo/gc asks for it, or also every Datastore.GCPeriod of the node configuration while the repo takes ' +
        'more than Datastore.StorageGCWatermark percent of Datastore.StorageMax. The flag --enable-gc of the daemon stands for `periodic`.'
    )
})

export type PinSettings = z.output<typeof pinSettings>
export const PinSettings: Token<PinSettings> = settings<typeof pinSettings>()

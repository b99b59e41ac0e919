import { z } from 'zod'
import { formatDuration } from '../../../core/go/index.ts'
import { command, optional, Provider, stream } from '../../../core/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'

export const stats = command({
  path: 'stats/provide',
  access: 'read',
  help: 'Show what this node told others that it has.',
  examples: [{ title: 'How much was told since the start', args: 'stats provide' }],
  needs: { provider: optional(Provider) },
  reply: stream(
    z.object({
      TotalProvides: z.int(),
      LastReprovideBatchSize: z.int(),
      AvgProvideDuration: z.int().describe('Nanoseconds.'),
      LastReprovideDuration: z.int().describe('Nanoseconds.')
    })
  ),
  xml: 'ReproviderStats',
  text: ({ TotalProvides, AvgProvideDuration, LastReprovideDuration, LastReprovideBatchSize }) =>
    [
      `TotalProvides:          ${TotalProvides}\n`,
      `AvgProvideDuration:     ${formatDuration(BigInt(AvgProvideDuration))}\n`,
      `LastReprovideDuration:  ${formatDuration(BigInt(LastReprovideDuration))}\n`,
      `LastReprovideBatchSize: ${LastReprovideBatchSize}\n`
    ].join(''),
  async *run({ provider }) {
    const { total, lastBatch, average, lastDuration } = onlineForCommand(provider).stats
    yield {
      TotalProvides: total,
      LastReprovideBatchSize: lastBatch,
      AvgProvideDuration: average,
      LastReprovideDuration: lastDuration
    }
  }
})

import { z } from 'zod'
import { formatDuration } from '../../../core/go/index.ts'
import { command, Host, optional, Provider, stream } from '../../../core/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'
import { passesOf, passesOptions, passesReply, passesText } from '../passes.ts'

const reply = z.object({
  TotalProvides: z.int(),
  LastReprovideBatchSize: z.int(),
  AvgProvideDuration: z.int().describe('Nanoseconds.'),
  LastReprovideDuration: z.int().describe('Nanoseconds.')
})

export const stats = command.read('stats/provide', {
  help: 'Show what this node told others that it has.',
  examples: [{ title: 'How much was told since the start', args: 'stats provide' }],
  needs: { provider: optional(Provider), host: Host },
  options: passesOptions,
  levels: { '0.28': { options: {}, reply: stream(reply) }, '0.42': { reply: stream(passesReply, { eager: true }) } },
  reply: stream(z.union([reply, passesReply])),
  xml: 'ReproviderStats',
  text: (item, call) => ('FullRT' in item ? passesText(item, call) : providesText(item)),
  async run({ provider, host }, { options }) {
    if (host.level !== '0.28') return [passesOf(provider, options)]
    const { total, lastBatch, average, lastDuration } = onlineForCommand(provider).stats
    return [{ TotalProvides: total, LastReprovideBatchSize: lastBatch, AvgProvideDuration: average, LastReprovideDuration: lastDuration }]
  }
})

const providesText = ({ TotalProvides, AvgProvideDuration, LastReprovideDuration, LastReprovideBatchSize }: z.input<typeof reply>) =>
  [
    `TotalProvides:          ${TotalProvides}\n`,
    `AvgProvideDuration:     ${formatDuration(BigInt(AvgProvideDuration))}\n`,
    `LastReprovideDuration:  ${formatDuration(BigInt(LastReprovideDuration))}\n`,
    `LastReprovideBatchSize: ${LastReprovideBatchSize}\n`
  ].join('')

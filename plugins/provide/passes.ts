import { z } from 'zod'
import { formatDuration } from '../../core/go/index.ts'
import { type Provider, p } from '../../core/index.ts'
import { onlineForCommand } from '../../core/network/index.ts'
import { provideErrors } from './errors.ts'
import { NEVER, sweepFlags, sweepReply, sweepText, sweepView } from './sweep-stat.ts'

/** The statistics of Kubo 0.42: of a sweep (go-libp2p-kad-dht 0.42, provider/stats), or of passes, its older way. Times in nanoseconds. */
export const passesReply = z.object({
  Sweep: sweepReply.nullable().describe('The sweep through the keys of the DHT; null where passes go over all.'),
  Legacy: z
    .object({
      TotalReprovides: z.int().describe('Blocks that passes told of since the start.'),
      LastReprovideBatchSize: z.int().describe('Blocks of the last pass.'),
      ReprovideInterval: z.int().describe('Nanoseconds between two passes.'),
      AvgReprovideDuration: z.int().describe('Nanoseconds.'),
      LastReprovideDuration: z.int().describe('Nanoseconds.'),
      LastRun: z.string().describe('When the last pass began.')
    })
    .nullable()
    .describe('The passes over all; null where there is a sweep.'),
  FullRT: z.boolean().describe('Whether all servers of the DHT are known beforehand.')
})

type Passes = z.output<typeof passesReply>

/** Parts of what a sweep tells, in text. Passes have no parts, so that text with one of these is refused. */
export const passesOptions = {
  ...sweepFlags,
  compact: p.bool('In two columns; with all alone.'),
  lan: p.bool('Of the DHT of the local network. There is one sweep, through the DHT that is told.')
}

/** @throws E_NEEDS_ONLINE, E_PROVIDE_STAT_LAN, E_PROVIDE_STAT_OFF */
export function passesOf(provider: Provider | undefined, { lan }: { readonly lan?: boolean | undefined }): Passes {
  const { off, interval, stats, sweep, queue } = onlineForCommand(provider)
  if (off !== undefined) throw provideErrors.E_PROVIDE_STAT_OFF(off)
  if (sweep !== undefined) return { Sweep: sweepView(sweep, queue), Legacy: null, FullRT: false }
  if (lan === true) throw provideErrors.E_PROVIDE_STAT_LAN()
  return {
    Sweep: null,
    Legacy: {
      TotalReprovides: stats.reprovided,
      LastReprovideBatchSize: stats.lastBatch,
      ReprovideInterval: interval * 1_000_000,
      AvgReprovideDuration: stats.averageReprovide,
      LastReprovideDuration: stats.lastDuration,
      LastRun: stats.lastRun?.toISOString() ?? NEVER
    },
    FullRT: false
  }
}

/** @throws E_PROVIDE_STAT_FLAGS, E_PROVIDE_STAT_COMPACT */
export function passesText({ Sweep, Legacy }: Passes, { options }: { readonly options: object }): string {
  const said = options as Readonly<Record<string, unknown>>
  if (Sweep !== null) return sweepText(Sweep, said)
  if (Object.keys(sweepFlags).some(name => said[name] === true)) throw provideErrors.E_PROVIDE_STAT_FLAGS()
  if (Legacy === null) return ''
  const { LastRun, ...legacy } = Legacy
  return [
    `TotalReprovides:       ${legacy.TotalReprovides}\n`,
    `AvgReprovideDuration:  ${formatDuration(BigInt(legacy.AvgReprovideDuration))}\n`,
    `LastReprovideDuration: ${formatDuration(BigInt(legacy.LastReprovideDuration))}\n`,
    LastRun === NEVER ? '' : `LastReprovide:         ${LastRun}\n`
  ].join('')
}

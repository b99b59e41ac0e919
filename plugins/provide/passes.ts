import { z } from 'zod'
import { formatDuration } from '../../core/go/index.ts'
import { type Provider, p } from '../../core/index.ts'
import { onlineForCommand } from '../../core/network/index.ts'
import { provideErrors } from './errors.ts'

/** The zero time of Go. */
const NEVER = '0001-01-01T00:00:00Z'

/** The statistics that Kubo 0.42 has of its older way to provide, by passes over all: the one that there is here. */
export const passesReply = z.object({
  Sweep: z.null().describe('A sweep through the keys of the DHT, bit by bit: there is none here.'),
  Legacy: z.object({
    TotalReprovides: z.int().describe('Blocks that passes told of since the start.'),
    LastReprovideBatchSize: z.int().describe('Blocks of the last pass.'),
    ReprovideInterval: z.int().describe('Nanoseconds between two passes.'),
    AvgReprovideDuration: z.int().describe('Nanoseconds.'),
    LastReprovideDuration: z.int().describe('Nanoseconds.'),
    LastRun: z.string().describe('When the last pass began.')
  }),
  FullRT: z.boolean().describe('Whether all servers of the DHT are known beforehand.')
})

type Passes = z.output<typeof passesReply>

const flags = {
  all: p.bool('Everything.').alias('a'),
  connectivity: p.bool('Whether others are there to be told.'),
  network: p.bool('Peers that were told.'),
  operations: p.bool('The operations that were done.'),
  queues: p.bool('Keys that wait to be provided.'),
  schedule: p.bool('The schedule of passes.'),
  timings: p.bool('When passes begin.'),
  workers: p.bool('How many are told at a time.')
}

/** Parts of what a sweep would tell, in text. Passes have no parts, so that text with one of these is refused. */
export const passesOptions = {
  ...flags,
  compact: p.bool('In two columns; has no effect.'),
  lan: p.bool('Of the DHT of the local network alone: there is none of its own, so that it is refused.')
}

/** @throws E_NEEDS_ONLINE, E_PROVIDE_STAT_LAN, E_PROVIDE_STAT_OFF */
export function passesOf(provider: Provider | undefined, { lan }: { readonly lan?: boolean | undefined }): Passes {
  const { off, interval, stats } = onlineForCommand(provider)
  if (lan === true) throw provideErrors.E_PROVIDE_STAT_LAN()
  if (off !== undefined) throw provideErrors.E_PROVIDE_STAT_OFF(off)
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

/** @throws E_PROVIDE_STAT_FLAGS */
export function passesText({ Legacy: { LastRun, ...legacy } }: Passes, { options }: { readonly options: object }): string {
  if (Object.keys(flags).some(name => (options as Readonly<Record<string, unknown>>)[name] === true))
    throw provideErrors.E_PROVIDE_STAT_FLAGS()
  return [
    `TotalReprovides:       ${legacy.TotalReprovides}\n`,
    `AvgReprovideDuration:  ${formatDuration(BigInt(legacy.AvgReprovideDuration))}\n`,
    `LastReprovideDuration: ${formatDuration(BigInt(legacy.LastReprovideDuration))}\n`,
    LastRun === NEVER ? '' : `LastReprovide:         ${LastRun}\n`
  ].join('')
}

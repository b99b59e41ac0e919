import { z } from 'zod'
import { formatDuration } from '../../core/go/index.ts'
import { type Provider, p, type SweepStats } from '../../core/index.ts'
import { provideErrors } from './errors.ts'
import { HOLDERS } from './sweep.ts'

/** The zero time of Go. */
export const NEVER = '0001-01-01T00:00:00Z'

/** The words and their order: go-libp2p-kad-dht 0.42, provider/stats/types.go. */
export const sweepReply = z.object({
  closed: z.boolean(),
  connectivity: z.object({ status: z.string().describe('online or offline.'), since: z.string().describe('When that began.') }),
  queues: z.object({
    pending_key_provides: z.int().describe('New blocks that wait to be told of.'),
    pending_region_provides: z.int(),
    pending_region_reprovides: z.int().describe('1 while a region is late.')
  }),
  schedule: z.object({
    keys: z.int().describe('Keys that are told of in an interval.'),
    regions: z.int().describe('Regions of the keyspace that have some.'),
    avg_prefix_length: z.number().describe('Leading bits that name a region, on average; -1: none is known yet.'),
    next_reprovide_at: z.string().describe('When the next region is told of.'),
    next_reprovide_prefix: z.string().describe('Its leading bits.')
  }),
  workers: z.object({
    max: z.int(),
    active: z.int(),
    active_periodic: z.int().describe('1 while a region is told of.'),
    active_burst: z.int().describe('New blocks that are told of now.'),
    dedicated_periodic: z.int(),
    dedicated_burst: z.int(),
    queued_periodic: z.int(),
    queued_burst: z.int(),
    max_provide_conns_per_worker: z.int().describe('Servers that are told at a time.')
  }),
  timing: z.object({
    uptime: z.int(),
    reprovides_interval: z.int(),
    cycle_start: z.string(),
    current_time_offset: z.int().describe('How far in it the cycle is.'),
    max_reprovide_delay: z.int().describe('0: a region that is late is told of as soon as it can be.')
  }),
  operations: z.object({
    ongoing: z.object({ region_provides: z.int(), key_provides: z.int(), region_reprovides: z.int(), key_reprovides: z.int() }),
    past: z.object({
      records_provided: z.int().describe('Records that servers took.'),
      keys_provided: z.int().describe('Keys of which at least one server took a record.'),
      keys_failed: z.int(),
      keys_provided_per_minute: z.number(),
      keys_reprovided_per_minute: z.number().describe('While regions were told of.'),
      reprovide_duration: z.int().describe('Of a region, on average.'),
      avg_keys_per_reprovide: z.number().describe('Keys of a region, on average.'),
      regions_reprovided_last_cycle: z.int()
    })
  }),
  network: z.object({
    peers: z.int().describe('Servers of the regions of the last cycle.'),
    reachable: z.int().describe('Those of them that took their records.'),
    complete_keyspace_coverage: z.boolean().describe('Whether the last cycle left no key out.'),
    avg_region_size: z.number().describe('Servers of a region, on average.'),
    avg_holders: z.number().describe('Servers that took the record of a key, on average.'),
    replication_factor: z.int()
  })
})

type SweepView = z.output<typeof sweepReply>

const nanoseconds = (milliseconds: number) => Math.round(milliseconds * 1e6)
const perOne = (sum: number, count: number) => (count === 0 ? 0 : sum / count)

export function sweepView(sweep: SweepStats, { waiting, active, atOnce, serversAtOnce }: Provider['queue']): SweepView {
  const { cycle, total, next, isOnline, isBusy } = sweep
  const busy = isBusy ? 1 : 0
  return {
    closed: false,
    connectivity: { status: isOnline ? 'online' : 'offline', since: sweep.onlineSince?.toISOString() ?? NEVER },
    queues: {
      pending_key_provides: waiting,
      pending_region_provides: 0,
      pending_region_reprovides: next !== undefined && !isBusy && next.at.getTime() < Date.now() ? 1 : 0
    },
    schedule: {
      keys: sweep.keys,
      regions: sweep.regions,
      avg_prefix_length: sweep.prefixLength,
      next_reprovide_at: next?.at.toISOString() ?? NEVER,
      next_reprovide_prefix: next?.prefix ?? ''
    },
    workers: {
      max: atOnce + 1,
      active: active + busy,
      active_periodic: busy,
      active_burst: active,
      dedicated_periodic: 1,
      dedicated_burst: atOnce,
      queued_periodic: 0,
      queued_burst: 0,
      max_provide_conns_per_worker: serversAtOnce
    },
    timing: {
      uptime: nanoseconds(sweep.uptime),
      reprovides_interval: nanoseconds(sweep.interval),
      cycle_start: sweep.cycleBegan.toISOString(),
      current_time_offset: nanoseconds(sweep.offset),
      max_reprovide_delay: 0
    },
    operations: {
      ongoing: { region_provides: 0, key_provides: active, region_reprovides: busy, key_reprovides: 0 },
      past: {
        records_provided: total.records,
        keys_provided: total.keys,
        keys_failed: total.failedKeys,
        keys_provided_per_minute: 0,
        keys_reprovided_per_minute: perOne(cycle.keys * 60_000, cycle.time),
        reprovide_duration: nanoseconds(perOne(cycle.time, cycle.regions)),
        avg_keys_per_reprovide: perOne(cycle.keys, cycle.regions),
        regions_reprovided_last_cycle: cycle.regions
      }
    },
    network: {
      peers: cycle.servers,
      reachable: cycle.servers - cycle.failedServers,
      complete_keyspace_coverage: sweep.isWhole,
      avg_region_size: perOne(cycle.servers, cycle.regions),
      avg_holders: perOne(cycle.records, cycle.keys),
      replication_factor: HOLDERS
    }
  }
}

/** Parts of the text; without any, the most important lines. */
export const sweepFlags = {
  all: p.bool('Everything.').alias('a'),
  connectivity: p.bool('Whether others are there to be told.'),
  network: p.bool('Servers that were told.'),
  operations: p.bool('What was done.'),
  queues: p.bool('What waits to be provided.'),
  schedule: p.bool('What comes next.'),
  timings: p.bool('How long the node provides, and since when this cycle.'),
  workers: p.bool('How many are told at a time.')
}

type Part = Exclude<keyof typeof sweepFlags, 'all'>

/** The lines and their order: Kubo 0.42, core/commands/provide.go. A tab ends a cell. @throws E_PROVIDE_STAT_COMPACT */
export function sweepText(view: SweepView, said: Readonly<Record<string, unknown>>): string {
  const all = said['all'] === true
  const isCompact = said['compact'] === true
  if (isCompact && !all) throw provideErrors.E_PROVIDE_STAT_COMPACT()
  const flags = Object.keys(sweepFlags).filter(name => said[name] === true)
  const brief = flags.length === 0
  const hasTitles = flags.length > 1 || all
  const columns: [string[], string[]] = [[], []]
  /** In two columns, a part stands on its side; else all are one below the other. */
  const part = (side: 0 | 1, name: Part, lines: readonly string[]) => {
    if (!all && !brief && said[name] !== true) return
    const column = columns[isCompact ? side : 0]
    if (!brief && hasTitles) column.push(`${name[0]!.toUpperCase()}${name.slice(1)}:`)
    for (const line of lines) {
      // lines of the table of workers have columns of their own
      const cells = isCompact || line.startsWith(' ') ? line : line.replace(': ', ':\t').replace(', ', ',\t')
      column.push(`${hasTitles ? '  ' : ''}${cells}`)
    }
    if (!brief) column.push('')
  }
  const detail = (...lines: readonly string[]) => (brief ? [] : lines)
  const { connectivity, queues, schedule, timing, network, operations, workers } = view
  const { ongoing, past } = operations
  if (!brief || connectivity.status !== 'online') {
    const since = connectivity.since === NEVER ? '' : ` (${momentText(connectivity.since)})`
    part(1, 'connectivity', [`Status: ${connectivity.status}${since}`])
  }
  part(1, 'queues', [
    `Provide queue: ${si(queues.pending_key_provides, 1)} CIDs, ${si(queues.pending_region_provides, 1)} regions`,
    `Reprovide queue: ${si(queues.pending_region_reprovides, 1)} regions`
  ])
  part(0, 'schedule', [
    `CIDs scheduled: ${count(schedule.keys)}`,
    `Regions scheduled: ${schedule.regions > 0 ? count(schedule.regions) : NA}`,
    ...detail(
      `Avg prefix length: ${decimal(schedule.avg_prefix_length)}`,
      `Next region prefix: ${schedule.next_reprovide_prefix || NA}`,
      `Next region reprovide: ${schedule.next_reprovide_at === NEVER ? NA : schedule.next_reprovide_at.slice(11, 19)}`
    )
  ])
  if (!brief)
    part(1, 'timings', [
      `Uptime: ${lasting(timing.uptime)} (${momentText(new Date(Date.now() - timing.uptime / 1e6).toISOString())})`,
      `Current time offset: ${lasting(timing.current_time_offset)}`,
      `Cycle started: ${momentText(timing.cycle_start)}`,
      `Reprovide interval: ${lasting(timing.reprovides_interval)}`
    ])
  const share = network.peers > 0 ? ` (${count(Math.floor((100 * network.reachable) / network.peers))}%)` : ''
  part(0, 'network', [
    `Avg record holders: ${decimal(network.avg_holders)}`,
    ...detail(
      `Peers swept: ${grouped(network.peers)}`,
      `Full keyspace coverage: ${network.complete_keyspace_coverage}`,
      `Reachable peers: ${grouped(network.reachable)}${share}`,
      `Avg region size: ${decimal(network.avg_region_size)}`,
      `Replication factor: ${count(network.replication_factor)}`
    )
  ])
  part(1, 'operations', [
    `Ongoing provides: ${si(ongoing.key_provides, 1)} CIDs, ${si(ongoing.region_provides, 1)} regions`,
    `Ongoing reprovides: ${si(ongoing.key_reprovides, 1)} CIDs, ${si(ongoing.region_reprovides, 1)} regions`,
    `Total CIDs provided: ${count(past.keys_provided)}`,
    ...detail(
      `Total records provided: ${count(past.records_provided)}`,
      `Total provide errors: ${count(past.keys_failed)}`,
      `CIDs provided/min/worker: ${decimal(past.keys_provided_per_minute)}`,
      `CIDs reprovided/min/worker: ${decimal(past.keys_reprovided_per_minute)}`,
      `Region reprovide duration: ${past.reprovide_duration > 0 ? lasting(past.reprovide_duration) : NA}`,
      `Avg CIDs/reprovide: ${decimal(past.avg_keys_per_reprovide)}`,
      `Regions reprovided (last cycle): ${count(past.regions_reprovided_last_cycle)}`
    )
  ])
  if (!brief) {
    const burst = Math.max(0, workers.dedicated_burst - workers.active_burst)
    const periodic = Math.max(0, workers.dedicated_periodic - workers.active_periodic)
    const free = Math.max(
      0,
      workers.max - Math.max(workers.dedicated_burst, workers.active_burst) - Math.max(workers.dedicated_periodic, workers.active_periodic)
    )
    const row = (name: string, one: number | string, other: number | string) => `  ${name.padEnd(14)} ${String(one).padEnd(9)} ${other}`
    const of = isCompact ? '' : ' workers'
    part(0, 'workers', [
      `Active${of}: ${workers.active} / ${workers.max} (max)`,
      `Free${of}: ${free}`,
      row('Workers stats:', 'Periodic', 'Burst'),
      row('Active:', workers.active_periodic, workers.active_burst),
      row('Dedicated:', workers.dedicated_periodic, workers.dedicated_burst),
      row('Available:', free + periodic, free + burst),
      row('Queued:', workers.queued_periodic, workers.queued_burst),
      `Max connections/worker: ${workers.max_provide_conns_per_worker}`
    ])
  }
  if (!isCompact) return aligned(brief ? columns[0] : columns[0].slice(0, -1))
  const [left, right] = columns
  const width = Math.max(...left.map(line => line.length)) + 2
  const rows = Math.max(left.length, right.length) - 1
  return aligned(Array.from({ length: rows }, (_, i) => `${(left[i] ?? '').padEnd(width)} ${right[i] ?? ''}`))
}

const NA = 'N/A'

/** A moment as people read it, in UTC. */
const momentText = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 19)}`

function lasting(nanos: number): string {
  const unit = nanos > 1e9 ? 1e8 : 1e3
  return formatDuration(BigInt(Math.floor(nanos / unit) * unit))
}

const decimal = (value: number) => (value <= 0 ? NA : grouped(Math.floor(value * 10) / 10))
const grouped = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 1 })

/** A number with a prefix of the SI, and behind a tab the whole one where that says more. */
function count(value: number): string {
  const short = si(value, 0)
  const whole = grouped(value)
  return short === whole ? short : `${short}\t(${whole})`
}

function si(value: number, decimals: 0 | 1): string {
  const power = value < 1000 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), 4)
  const scaled = value / 1000 ** power
  return `${grouped(Math.floor(scaled * 10 ** decimals) / 10 ** decimals)}${['', 'k', 'M', 'G', 'T'][power]}`
}

/** Cells that end with a tab, as wide as the widest of theirs in the lines around them that have one too (Go, text/tabwriter). */
function aligned(lines: readonly string[]): string {
  const cells = lines.map(line => line.split('\t'))
  const layOut = (from: number, to: number, column: number) => {
    for (let at = from; at < to; ) {
      let end = at
      while (end < to && cells[end]!.length > column + 1) end++
      if (end === at) {
        at++
        continue
      }
      const width = Math.max(...cells.slice(at, end).map(row => row[column]!.length)) + 1
      for (const row of cells.slice(at, end)) row[column] = row[column]!.padEnd(width)
      layOut(at, end, column + 1)
      at = end
    }
  }
  layOut(0, cells.length, 0)
  return cells.map(row => `${row.join('')}\n`).join('')
}

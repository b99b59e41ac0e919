import type { z } from 'zod'
import type { dhtStat } from './dht-stat.ts'

type Stat = z.input<typeof dhtStat>
type Peer = NonNullable<Stat['Buckets'][number]['Peers']>[number]

/** Spaces between columns, and the least width of one (Kubo 0.28, core/commands/stat_dht.go: text/tabwriter). */
const [PADDING, LEAST] = [2, 4]

/** A routing table as lines in columns. */
export function tableText({ Name, Buckets }: Stat): string {
  const peers = Buckets.reduce((sum, bucket) => sum + (bucket.Peers?.length ?? 0), 0)
  const rows: string[][] = [[`DHT ${Name} (${peers} peers):`, '', '', '']]
  Buckets.forEach(({ LastRefresh, Peers }, index) => {
    if (Peers === null) return
    rows.push([`  Bucket ${String(index).padStart(2)} (${Peers.length} peers) - refreshed ${since(LastRefresh)}:`, '', '', ''])
    rows.push(['    Peer', 'last useful', 'last queried', 'Agent Version'])
    for (const peer of Peers) rows.push(peerRow(peer))
    rows.push(['', '', '', ''])
  })
  const widths = [0, 1, 2].map(column => Math.max(LEAST, ...rows.map(row => row[column]!.length + PADDING)))
  return rows.map(row => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('')}\n`).join('')
}

const peerRow = ({ ID, Connected, AgentVersion, LastUsefulAt, LastQueriedAt }: Peer) => [
  `  ${Connected ? '@' : ' '} ${ID}`,
  since(LastUsefulAt),
  since(LastQueriedAt),
  AgentVersion
]

/** How long ago, in whole units; `never` for the empty time. */
function since(time: string): string {
  if (time === '') return 'never'
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time)) / 1000))
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)]
  return hours > 0 ? `${hours}h${minutes % 60}m ago` : minutes > 0 ? `${minutes}m${seconds % 60}s ago` : `${seconds}s ago`
}

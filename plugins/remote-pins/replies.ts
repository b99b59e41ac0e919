import { z } from 'zod'
import { cidToString } from '../../core/cid/index.ts'
import type { RemotePin } from './client/answers.ts'

/** A pin at a service, as commands answer it. CIDs are written as they are by default, whatever base is asked for (Kubo 0.28). */
export const remotePinReply = z.object({ Status: z.string(), Cid: z.string(), Name: z.string() })

type RemotePinReply = z.output<typeof remotePinReply>

export function replyOf({ status, cid, name }: RemotePin): RemotePinReply {
  return { Status: status, Cid: cidToString(cid), Name: name }
}

/** Rows of equally many cells, all columns but the last padded to the widest cell and one space (Go's text/tabwriter). */
export function columns(rows: ReadonlyArray<readonly string[]>): string {
  const widths = (rows[0] ?? []).map((_, i) => rows.reduce((most, row) => Math.max(most, [...row[i]!].length + 1), 1))
  return rows.map(row => `${row.map((cell, i) => (i < row.length - 1 ? cell.padEnd(widths[i]!) : cell)).join('')}\n`).join('')
}

import { z } from 'zod'
import { value } from '../../core/index.ts'

export interface CodeEntry {
  Code: number
  Name: string
}

export const entriesReply = value(z.array(z.object({ Code: z.int(), Name: z.string() })))

/** A line for each entry, its number in front when asked for. */
export function entryLines(entries: readonly CodeEntry[], numeric = false): string {
  return entries.map(({ Code, Name }) => `${numeric ? `${String(Code).padStart(5)}  ` : ''}${Name}\n`).join('')
}

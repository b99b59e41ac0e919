import { p } from '../../core/index.ts'

export const headers = p.bool('Print a line of titles first.').alias('v')

/** Rows as lines of columns with a space between them (Go's tabwriter with a padding of one). */
export function columns(rows: ReadonlyArray<readonly string[]>): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => [...(row[column] ?? '')].length)))
  return rows.map(row => `${row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]!))).join(' ')}\n`).join('')
}

/** The members of items that have titles as columns, behind a line of the titles where the caller asked for it. */
export function table<K extends string>(
  hasTitles: boolean | undefined,
  titles: Readonly<Record<K, string>>,
  items: ReadonlyArray<Readonly<Record<K, string>>> | null
): string {
  const rows = [...(hasTitles === true ? [titles] : []), ...(items ?? [])]
  return columns(rows.map(row => (Object.keys(titles) as K[]).map(key => row[key])))
}

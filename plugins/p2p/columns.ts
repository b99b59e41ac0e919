import { p } from '../../core/index.ts'

export const headers = p.bool('Print a line of titles first.').alias('v')

/** Rows as lines of columns with a space between them (Go's tabwriter with a padding of one). */
export function columns(rows: ReadonlyArray<readonly string[]>): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => [...(row[column] ?? '')].length)))
  return rows.map(row => `${row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]!))).join(' ')}\n`).join('')
}

/** The same behind a line of titles where the caller asked for it. */
export function table(hasTitles: boolean | undefined, titles: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  return columns(hasTitles === true ? [titles, ...rows] : rows)
}

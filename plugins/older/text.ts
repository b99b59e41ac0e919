/** Rows of equally many cells, all columns but the last padded to the widest cell and one space (Go's text/tabwriter). */
export function columns(rows: ReadonlyArray<readonly string[]>): string {
  const widths = (rows[0] ?? []).map((_, i) => rows.reduce((most, row) => Math.max(most, [...row[i]!].length + 1), 1))
  return rows.map(row => `${row.map((cell, i) => (i < row.length - 1 ? cell.padEnd(widths[i]!) : cell)).join('')}\n`).join('')
}

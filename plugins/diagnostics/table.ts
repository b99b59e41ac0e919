/** Rows as lines whose columns begin one below the other, two spaces apart. */
export function table(rows: ReadonlyArray<readonly string[]>): string {
  const width = (column: number) => rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0)
  const widths = (rows[0] ?? []).map((_, i) => width(i))
  const line = (row: readonly string[]) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]! + 2))).join('')
  return rows.map(row => `${line(row)}\n`).join('')
}

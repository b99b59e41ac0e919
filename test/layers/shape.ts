import type { Import } from './rules.ts'

const MOST_LINES = 700

/** Problems with files that nobody reads in one go. */
export function tooLong(lengths: ReadonlyMap<string, number>): string[] {
  return [...lengths]
    .filter(([, lines]) => lines > MOST_LINES)
    .map(([file, lines]) => `${file} has ${lines} lines, and may have ${MOST_LINES}`)
}

/** Problems with files that import each other in a circle. */
export function inCircles(imports: readonly Import[]): string[] {
  return circles(imports).map(circle => `a circle of imports: ${circle.join(', ')}`)
}

/** Groups of files each of which reaches all others of its group by imports, of types too (Tarjan's strongly connected components). */
export function circles(imports: readonly Import[]): string[][] {
  const next = new Map<string, string[]>()
  for (const { from, to } of imports) if (to.endsWith('.ts')) next.set(from, [...(next.get(from) ?? []), to])
  const order = new Map<string, number>()
  const stack: string[] = []
  const groups: string[][] = []
  const visit = (file: string): number => {
    order.set(file, order.size)
    let low = order.get(file)!
    stack.push(file)
    for (const to of next.get(file) ?? []) {
      if (!order.has(to)) low = Math.min(low, visit(to))
      else if (stack.includes(to)) low = Math.min(low, order.get(to)!)
    }
    if (low !== order.get(file)) return low
    const group = stack.splice(stack.indexOf(file)).toSorted()
    if (group.length > 1 || next.get(file)?.includes(file)) groups.push(group)
    return low
  }
  for (const file of next.keys()) if (!order.has(file)) visit(file)
  return groups.toSorted((a, b) => (a[0]! < b[0]! ? -1 : 1))
}

import { dirname } from 'node:path'
import type { Import } from './rules.ts'

/** Bounds of the tree's shape. */
export const MOST_LINES = 300
export const MEDIAN_LINES = 60
export const MOST_FILES = 15

/** Problems with counts over a bound. */
function beyond(found: ReadonlyMap<string, number>, most: number, unit: string): string[] {
  return [...found].filter(([, count]) => count > most).map(([path, count]) => `${path} has ${count} ${unit}, and may have ${most}`)
}

/** Problems with files that are too long. */
export function tooLong(lengths: ReadonlyMap<string, number>): string[] {
  return beyond(lengths, MOST_LINES, 'lines')
}

/** The problem with a median that reaches its bound. */
export function middleTooLong(lengths: readonly number[]): string[] {
  const middle = lengths.toSorted((a, b) => a - b)[Math.floor(lengths.length / 2)] ?? 0
  return middle < MEDIAN_LINES ? [] : [`the median source has ${middle} lines, and may have less than ${MEDIAN_LINES}`]
}

/** Problems with folders that have too many files in a row. */
export function tooWide(files: Iterable<string>): string[] {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return beyond(counts, MOST_FILES, 'files in a row')
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

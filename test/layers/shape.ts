import { dirname } from 'node:path'
import type { Import } from './rules.ts'

/** Bounds of the tree's shape. */
export const MOST_LINES = 300
export const MEDIAN_LINES = 60
export const MOST_FILES = 15

/** Files, folders and circles beyond the bounds, as far as they are put up with. */
export interface Known {
  /** Files over the bound, with the most lines that each may have. */
  readonly lines: Readonly<Record<string, number>>
  /** Folders over the bound, with the most files that each may have in a row. */
  readonly folders: Readonly<Record<string, number>>
  /** Circles of imports, by their members in order. */
  readonly circles: readonly (readonly string[])[]
}

/** Excesses over a bound that are not known, and known ones that are over. */
function beyond(found: ReadonlyMap<string, number>, most: number, known: Readonly<Record<string, number>>, unit: string): string[] {
  const problems = []
  for (const [path, count] of found)
    if (count > (known[path] ?? most)) problems.push(`${path} has ${count} ${unit}, and may have ${known[path] ?? most}`)
  for (const path of Object.keys(known))
    if ((found.get(path) ?? 0) <= most) problems.push(`${path} is within ${most} ${unit} now: take it off the list of known ones`)
  return problems
}

/** Problems with files that are too long. */
export function tooLong(lengths: ReadonlyMap<string, number>, known: Known['lines']): string[] {
  return beyond(lengths, MOST_LINES, known, 'lines')
}

/** The problem with a median that reaches its bound. */
export function middleTooLong(lengths: readonly number[]): string[] {
  const middle = lengths.toSorted((a, b) => a - b)[Math.floor(lengths.length / 2)] ?? 0
  return middle < MEDIAN_LINES ? [] : [`the median source has ${middle} lines, and may have less than ${MEDIAN_LINES}`]
}

/** Problems with folders that have too many files in a row. */
export function tooWide(files: Iterable<string>, known: Known['folders']): string[] {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return beyond(counts, MOST_FILES, known, 'files in a row')
}

/** Circles of imports that are not known, and known ones that are gone. */
export function unknownCircles(imports: readonly Import[], known: Known['circles']): string[] {
  const name = (circle: readonly string[]) => circle.join(', ')
  const found = new Set(circles(imports).map(name))
  const listed = new Set(known.map(name))
  return [
    ...[...found].filter(circle => !listed.has(circle)).map(circle => `a circle of imports: ${circle}`),
    ...[...listed].filter(circle => !found.has(circle)).map(circle => `no circle any more: take it off the list of known ones: ${circle}`)
  ]
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

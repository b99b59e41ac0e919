import { goJson, isExactNumber } from '../../core/go/json.ts'

/**
 * The differences between two JSON values, a line for each key that was there and each that is: `- Swarm.ConnMgr: {}`. Objects are compared member
 * by member, all else as a whole.
 */
export function* differences(before: unknown, after: unknown, path: readonly string[] = []): Generator<string> {
  if (isObject(before) && isObject(after) && Object.keys(before).length > 0 && Object.keys(after).length > 0) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    for (const name of names) yield* differences(before[name], after[name], [...path, name])
    return
  }
  if (goJson(before) === goJson(after)) return
  const key = path.join('.')
  if (before !== undefined) yield `- ${key}: ${goJson(before)}\n`
  if (after !== undefined) yield `+ ${key}: ${goJson(after)}\n`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
}

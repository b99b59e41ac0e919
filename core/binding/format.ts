import { parseCid } from '../cid/parse.ts'
import type { ParameterSpec } from '../contract/params.ts'
import { parseDuration } from '../go/duration.ts'

/** The value that a text stands for, where the declaration does not want it raw. */
export function formatted({ raw, format }: ParameterSpec, text: string): unknown {
  if (raw) return text
  if (format === 'cid') return parseCid(text)
  if (format === 'duration') return parseDuration(text)
  return text
}

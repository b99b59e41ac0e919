import { parseCid } from '../../core/cid/index.ts'
import type { CID, Result } from '../../core/index.ts'

/** The CIDs in the answer of a command that ends pins: `{ Pins: [CID, …] }`. */
export function unpinned(result: Result): readonly CID[] {
  const value = result.kind === 'value' ? (result.value as { readonly Pins?: unknown }) : {}
  return Array.isArray(value.Pins) ? value.Pins.map(text => parseCid(String(text))) : []
}

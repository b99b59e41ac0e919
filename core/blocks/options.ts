import type { Call } from '../command.ts'
import type { BlockOptions } from '../services/blocks.ts'

/** How a call may load blocks: until its signal fires, and from the local store only where the caller asked for that. */
export function blockOptions({ signal, options: { offline, local } }: Pick<Call, 'signal' | 'options'>): BlockOptions {
  return { signal, offline: offline === true || local === true }
}

import type { Call } from '../contract/command.ts'
import { p } from '../contract/params.ts'
import type { BlockOptions } from '../services/storage/blocks.ts'

/** How a call may load blocks: until its signal fires, and from the local store only where the caller asked for that. */
export function blockOptions({ signal, options: { offline, local } }: Pick<Call, 'signal' | 'options'>): BlockOptions {
  return { signal, offline: offline === true || local === true }
}

/** Options of commands that store or keep a DAG, for callers of Kubo 0.42. What such an answer names is provided at once, whatever they say. */
export const provideOptions = {
  fastProvideRoot: p.bool('Taken for callers of Kubo 0.42: what the answer names is provided at once anyway.'),
  fastProvideDag: p.bool('Taken for callers of Kubo 0.42: other blocks are provided with the next pass.'),
  fastProvideWait: p.bool('Taken for callers of Kubo 0.42: no answer waits until something is provided.')
} as const

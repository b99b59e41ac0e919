import type { BlockOptions, Call } from '../../core/index.ts'

/** How a call may load blocks. */
export function blockOptions({ signal, options: { offline, local } }: Pick<Call, 'signal' | 'options'>): BlockOptions {
  return { signal, offline: offline === true || local === true }
}

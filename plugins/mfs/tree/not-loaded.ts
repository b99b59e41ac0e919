import type { BlockOptions } from '../../../core/index.ts'

/**
 * A part of the tree that has to be read before the work can be done. Work on the tree takes no turns of the event loop, so that it is one
 * step to all others: what meets such a part throws this, and is done again from its beginning when the part is there.
 */
export class NotLoaded extends Error {
  readonly load: (options: BlockOptions) => Promise<unknown>

  constructor(load: (options: BlockOptions) => Promise<unknown>) {
    super('a part of the tree is not loaded')
    this.load = load
  }
}

import { refStream } from '../../../core/blocks/ref-reply.ts'
import { cidEncoder } from '../../../core/cid/encoder.ts'
import { Blockstore, command, fastBlocks, References } from '../../../core/index.ts'
import { checkEnabled } from '../listing.ts'
import { cidOfReference } from '../store.ts'

export const dups = command.read('filestore/dups', {
  help: 'List blocks that are both stored and referred to.',
  needs: { references: References, store: Blockstore },
  ...refStream,
  async *run({ references, store }, { options, signal }) {
    checkEnabled(references)
    const encode = cidEncoder(options)
    const stored = fastBlocks(store)
    for await (const { multihash } of references.list({ signal })) {
      if (await stored.hasMultihash(multihash, { signal })) yield { Ref: encode(cidOfReference(multihash)), Err: '' }
    }
  }
})

import { parseCid } from '../../../core/cid/parse.ts'
import { command, demand, optional, p, References, WriteBarrier } from '../../../core/index.ts'
import { allReferences, checkEnabled, isBad, type Listed, listedReply, verifiedCid, verifiedOf, verifiedText } from '../listing.ts'
import { forgetBad } from '../removal.ts'
import { FilestoreSettings } from '../settings.ts'

export const verify = command.read('filestore/verify', {
  help: 'Read blocks that are referred to, and say which are not there any more.',
  examples: [
    { title: 'Find the files that have changed or are gone', args: 'filestore verify --file-order' },
    { title: 'Forget blocks that cannot be read any more', args: 'filestore verify --remove-bad-blocks' }
  ],
  needs: { references: References, settings: FilestoreSettings, barrier: optional(WriteBarrier) },
  args: { obj: p.string('CIDs of blocks. Default: all.').many().optional() },
  options: {
    fileOrder: p.bool('In the order of files, and of places in them.').default(false),
    removeBadBlocks: p.bool('Forget those whose files or URLs are gone, have changed or cannot be read. Takes the access to write.')
  },
  reply: listedReply,
  xml: 'ListRes',
  terminal: verifiedText,
  async *run({ references, settings, barrier }, { args: { obj = [] }, options, signal, caller, command: { path } }) {
    checkEnabled(references)
    const { removeBadBlocks = false } = options
    if (removeBadBlocks) demand(caller, 'write', path)
    const forget = async (found: Listed, multihash: () => Uint8Array) => {
      if (removeBadBlocks && isBad(found)) await forgetBad(multihash(), found, { references, barrier })
    }
    for (const text of obj) {
      const found = await verifiedCid(text, references, signal)
      await forget(found, () => parseCid(text).multihash.bytes)
      yield found
    }
    if (obj.length > 0) return
    const order = { ...options, most: settings.maxSorted, signal }
    for await (const reference of allReferences(references, order)) {
      const found = await verifiedOf(reference, references, signal)
      await forget(found, () => reference.multihash)
      yield found
    }
  }
})

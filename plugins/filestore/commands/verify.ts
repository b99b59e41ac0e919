import { command, p, References } from '../../../core/index.ts'
import { allReferences, checkEnabled, listedReply, verifiedCid, verifiedOf, verifiedText } from '../listing.ts'
import { FilestoreSettings } from '../settings.ts'

export const verify = command({
  path: 'filestore/verify',
  access: 'read',
  help: 'Read blocks that are referred to, and say which are not there any more.',
  examples: [{ title: 'Find the files that have changed or are gone', args: 'filestore verify --file-order' }],
  needs: { references: References, settings: FilestoreSettings },
  args: { obj: p.string('CIDs of blocks. Default: all.').many().optional() },
  options: { fileOrder: p.bool('In the order of files, and of places in them.').default(false) },
  reply: listedReply,
  xml: 'ListRes',
  terminal: verifiedText,
  async *run({ references, settings }, { args: { obj = [] }, options, signal }) {
    checkEnabled(references)
    for (const text of obj) yield await verifiedCid(text, references, signal)
    if (obj.length > 0) return
    const order = { ...options, most: settings.maxSorted, signal }
    for await (const reference of allReferences(references, order)) yield await verifiedOf(reference, references, signal)
  }
})

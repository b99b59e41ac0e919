import { command, p, References } from '../../../core/index.ts'
import { allReferences, checkEnabled, listedReply, listedText, notedOf, verifiedCid } from '../listing.ts'
import { FilestoreSettings } from '../settings.ts'

export const ls = command.read('filestore/ls', {
  help: 'List blocks that are referred to in files or behind URLs. Those that are named are looked at.',
  examples: [{ title: 'List all, file by file', args: 'filestore ls --file-order' }],
  needs: { references: References, settings: FilestoreSettings },
  args: { obj: p.string('CIDs of blocks. Default: all.').many().optional() },
  options: { fileOrder: p.bool('In the order of files, and of places in them.').default(false) },
  reply: listedReply,
  xml: 'ListRes',
  terminal: listedText,
  failure: {
    of: ({ ErrorMsg, Status }) => (Status === 0 ? undefined : ErrorMsg),
    message: 'some references could not be read'
  },
  async *run({ references, settings }, { args: { obj = [] }, options, signal }) {
    checkEnabled(references)
    for (const text of obj) yield await verifiedCid(text, references, signal)
    if (obj.length > 0) return
    const order = { ...options, most: settings.maxSorted, signal }
    for await (const reference of allReferences(references, order)) yield notedOf(reference)
  }
})

import { hashNames, isSecureHash } from '../../../core/cid/hashes.ts'
import { command, p } from '../../../core/index.ts'
import { entriesReply, entryLines } from '../entries.ts'

export const hashes = command.read('cid/hashes', {
  help: 'List the hash functions that a node takes blocks under.',
  examples: [{ title: 'List the hash functions with their numbers', args: 'cid hashes --numeric' }],
  options: {
    numeric: p.bool('Show the number too, in text.').alias('n').default(false),
    supported: p.bool('Has no effect: only these are taken.').alias('s').default(false)
  },
  reply: entriesReply,
  xml: 'CodeAndName',
  text: (entries, { options }) => entryLines(entries, options.numeric),
  run: () => hashNames.filter(({ code }) => isSecureHash(code)).map(({ code, name }) => ({ Code: code, Name: name }))
})

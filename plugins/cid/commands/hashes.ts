import { hashNames, isSecureHash } from '../../../core/cid/hashes.ts'
import { command, p } from '../../../core/index.ts'
import { entryList, numericOption } from '../entries.ts'

export const hashes = command.read('cid/hashes', {
  help: 'List the hash functions that a node takes blocks under.',
  examples: [{ title: 'List the hash functions with their numbers', args: 'cid hashes --numeric' }],
  options: {
    numeric: numericOption,
    supported: p.bool('Has no effect: only these are taken.').alias('s').default(false)
  },
  ...entryList,
  run: () => hashNames.filter(({ code }) => isSecureHash(code)).map(({ code, name }) => ({ Code: code, Name: name }))
})

import { command } from '../../../core/index.ts'
import { converter } from '../conversion.ts'
import { cidArguments, convertedLine, convertedReply, convertedText } from '../converted.ts'

export const base32 = command({
  path: 'cid/base32',
  access: 'read',
  help: 'Write CIDs as version 1 in base32.',
  args: { cid: cidArguments },
  reply: convertedReply,
  xml: 'CidFormatRes',
  text: convertedText,
  terminal: convertedLine,
  async *run(_, { args }) {
    const convert = converter({ format: '%s', version: '1', codec: '', base: 'base32' })
    for (const cid of args.cid) yield convert(cid)
  }
})

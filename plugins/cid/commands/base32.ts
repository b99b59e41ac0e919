import { command } from '../../../core/index.ts'
import { converter } from '../conversion.ts'
import { cidArguments, conversionFailure, convertedLine, convertedReply, convertedText } from '../converted.ts'
import { CidSettings } from '../settings.ts'

export const base32 = command.read('cid/base32', {
  help: 'Write CIDs as version 1 in base32.',
  examples: [{ title: 'Write a CID of version 0 as one of version 1', args: 'cid base32 QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' }],
  needs: { settings: CidSettings },
  args: { cid: cidArguments },
  reply: convertedReply,
  xml: 'CidFormatRes',
  text: convertedText,
  terminal: convertedLine,
  failure: conversionFailure,
  async *run({ settings }, { args }) {
    const convert = converter({ format: '%s', version: '1', codec: '', base: 'base32', most: settings.maxFormatted })
    for (const cid of args.cid) yield convert(cid)
  }
})

import { command, p } from '../../../core/index.ts'
import { converter } from '../conversion.ts'
import { cidArguments, conversionFailure, convertedLine, convertedReply, convertedText } from '../converted.ts'
import { CidSettings } from '../settings.ts'

export const format = command.read('cid/format', {
  help: 'Write CIDs in a format, version, codec or base of your choice.',
  examples: [
    { title: 'Show the parts of a CID', args: "cid format -f '%b %v %c %h %L' QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc" },
    {
      title: 'Write a CID in base36, as host names need it',
      args: 'cid format -v=1 --mc=libp2p-key -b base36 QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc'
    }
  ],
  needs: { settings: CidSettings },
  args: { cid: cidArguments },
  options: {
    f: p
      .string(
        'Printf-like format: %b base, %v version, %c codec, %h hash, %L length of the digest, %m multihash, %d digest, %s CID, %P all but the digest; capitals give numbers, or leave out the prefix.'
      )
      .default('%s'),
    v: p.string('Version to convert to.').oneOf('0', '1').default(''),
    mc: p.codec('Codec to set.').default(''),
    b: p.multibase('Multibase to write in.').default('')
  },
  reply: convertedReply,
  xml: 'CidFormatRes',
  text: convertedText,
  terminal: convertedLine,
  failure: conversionFailure,
  async *run({ settings }, { args, options: { f, v, mc, b } }) {
    const convert = converter({ format: f, version: v, codec: mc, base: b, most: settings.maxFormatted })
    for (const cid of args.cid) yield convert(cid)
  }
})

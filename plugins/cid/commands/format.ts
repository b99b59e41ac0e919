import { command, p } from '../../../core/index.ts'
import { converter } from '../conversion.ts'
import { cidArguments, convertedLine, convertedReply, convertedText } from '../converted.ts'

export const format = command({
  path: 'cid/format',
  access: 'read',
  help: 'Write CIDs in a format, version, codec or base of your choice.',
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
  async *run(_, { args, options: { f, v, mc, b } }) {
    const convert = converter({ format: f, version: v, codec: mc, base: b })
    for (const cid of args.cid) yield convert(cid)
  }
})

import { ipnsErrors } from '../../../core/errors/index.ts'
import { command, files, p, value } from '../../../core/index.ts'
import { readRecord } from '../../../core/ipns/index.ts'
import { asFormat, inspect as inspected, inspection, printed } from '../inspection.ts'
import { recordIn } from '../upload.ts'

export const inspect = command.read('name/inspect', {
  status: 'experimental',
  help: 'Show what an IPNS record says, and whether it is a good one.',
  examples: [
    { title: 'See what a record says', args: 'name inspect site.ipns-record' },
    {
      title: 'Check that it is one of a name',
      args: 'name inspect --dump=false --verify=k51qzi5uqu5dj7skeind43o1an76ns1q5g2bupqw6o1hmcccenbkvalzo2olt0 site.ipns-record'
    }
  ],
  options: {
    verify: p.string('The name that the record has to be of.'),
    dump: p.bool('Show its bytes, too.').default(true)
  },
  body: files('record', 'The record, as bytes.', { many: false }),
  reply: value(inspection),
  text: item => {
    const text = printed(item)
    const at = text.length - item.HexDump.length
    return text.slice(0, at) + asFormat(text.slice(at))
  },
  terminal: printed,
  async run(_, { options: { dump, verify }, body }) {
    return inspected(readRecord(await recordIn(body, ipnsErrors.E_RECORD_SIZE)), { dump, name: verify })
  }
})

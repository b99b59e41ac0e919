import { z } from 'zod'
import { blockOptions } from '../../../core/blocks/options.ts'
import { type CidEncoder, cidEncoder } from '../../../core/cid/encoder.ts'
import { cidToString } from '../../../core/cid/parse.ts'
import { type BlockOptions, command, either, Mfs, p } from '../../../core/index.ts'
import { mfsErrors } from '../errors.ts'
import { MfsSettings } from '../settings.ts'
import { compareNames } from '../tree/entry.ts'
import { treePath } from './common.ts'

const entry = z.object({
  Name: z.string(),
  Type: z.int(),
  Size: z.union([z.int(), z.bigint()]).meta({ go: 'int64' }),
  Hash: z.string()
})

export const ls = command.read('files/ls', {
  help: 'List the entries of a directory of the mutable tree.',
  examples: [
    { title: 'List a directory with sizes and CIDs', args: 'files ls -l /site' },
    { title: 'List one entry after the other, as they are found', args: 'files ls --lines /site' }
  ],
  needs: { mfs: Mfs, settings: MfsSettings },
  args: { path: treePath('A directory of the tree.').default('/') },
  options: {
    long: p.bool('With types, sizes and CIDs.').alias('l'),
    U: p.bool('In the order of the directory, where text is asked for.'),
    lines: p
      .bool('Answer entries one by one as they are found, in the order of the directory; there may be any number of them.')
      .default(false)
  },
  reply: either(z.object({ Entries: z.array(entry).nullable() }), entry),
  xml: 'filesLsOutput',
  text(item, { options: { long, U } }) {
    const line = ({ Name, Type, Size, Hash }: z.input<typeof entry>) =>
      long ? `${Name}${Type === 1 ? '/' : ''}\t${Hash}\t${Size}\n` : `${Name}\n`
    if ('Name' in item) return line(item)
    const entries = item.Entries ?? []
    return (U ? entries : [...entries].sort((a, b) => compareNames(a.Name, b.Name))).map(line).join('')
  },
  run({ mfs, settings }, call) {
    const { long = false, lines } = call.options
    const { path } = call.args
    const encode = cidEncoder(call.options)
    const found = entriesOf(mfs, path, encode, { ...blockOptions(call), long })
    const allAtOnce = async () => {
      const Entries: z.input<typeof entry>[] = []
      let size = 0
      for await (const one of found) {
        Entries.push(one)
        size += 64 + one.Name.length + one.Hash.length
        if (size > settings.maxListing) throw mfsErrors.E_MFS_LISTING(settings.maxListing)
      }
      return { Entries: Entries.length === 0 ? null : Entries }
    }
    return lines ? found : allAtOnce()
  }
})

async function* entriesOf(
  mfs: Mfs,
  path: string,
  encode: CidEncoder,
  options: BlockOptions & { long: boolean }
): AsyncGenerator<z.input<typeof entry>> {
  for await (const { name, node, isSelf } of mfs.list(path, options)) {
    // Only a file's own CID is written in the base that was asked for.
    const Hash = node === undefined ? '' : isSelf ? encode(node.cid) : cidToString(node.cid)
    yield { Name: name, Type: node?.type === 'directory' ? 1 : 0, Size: node?.size ?? 0, Hash }
  }
}

import { z } from 'zod'
import { blockOptions } from '../../../core/blocks/options.ts'
import { cidEncoder } from '../../../core/cid/encoder.ts'
import { formatBytes } from '../../../core/go/bytes.ts'
import { Blocks, command, Dag, Host, Mfs, PathResolver, p, prefixed, value } from '../../../core/index.ts'
import { cumulativeSize, decodeBlock } from '../../../core/unixfs/export/node.ts'
import { mfsErrors } from '../errors.ts'
import { localSize } from '../local-size.ts'
import { metadataFields, metadataWords } from '../metadata.ts'
import { checkPath } from '../paths.ts'
import { MfsSettings } from '../settings.ts'
import { kindOf, statType } from '../tree/kind.ts'
import { treePath } from './common.ts'

const FORMAT = '<hash>\nSize: <size>\nCumulativeSize: <cumulsize>\nChildBlocks: <childs>\nType: <type>'
/** Since Kubo 0.42. */
const NEWER_FORMAT = `${FORMAT}\nMode: <mode> (<mode-octal>)\nMtime: <mtime>`
const uint64 = z.union([z.int(), z.bigint()]).meta({ go: 'uint64' })

/** The reply as 0.28 has it. */
const replyBefore = z.object({
  Hash: z.string(),
  Size: uint64,
  CumulativeSize: uint64,
  Blocks: z.int(),
  Type: z.string(),
  WithLocality: z.boolean().optional(),
  Local: z.boolean().optional(),
  SizeLocal: uint64.optional()
})
const reply = replyBefore.extend({
  Mtime: z.union([z.int(), z.bigint()]).meta({ go: 'int64' }).optional(),
  MtimeNsecs: z.int().optional(),
  Mode: z.string().optional()
})

const options = {
  hash: p.bool('Show the CID alone, in text.'),
  size: p.bool('Show the size of all its blocks alone, in text.'),
  withLocal: p.bool('Say how much of it is stored here.')
}
const format = p.string(
  'How text shows it, by <hash>, <size>, <cumulsize>, <type>, <childs>, <mode>, <mode-octal>, <mtime>, <mtime-secs> and <mtime-nsecs>.'
)

export const stat = command.read('files/stat', {
  help: 'Say what is at a path of the mutable tree.',
  examples: [
    { title: 'Look at a directory', args: 'files stat /site' },
    { title: 'Learn the CID of the whole tree', args: 'files stat --hash /' }
  ],
  needs: { mfs: Mfs, paths: PathResolver, blocks: Blocks, dag: Dag, settings: MfsSettings, host: Host },
  args: { path: treePath('A path of the tree, or `/ipfs/…`.') },
  options: { format: format.default(NEWER_FORMAT), ...options },
  levels: { '0.28': { options: { format: format.default(FORMAT), ...options }, reply: value(replyBefore.loose()) } },
  reply: value(reply),
  xml: 'statOutput',
  text: (item, { options }) => statText(item, options),
  escapes: ['Hash', 'Type'],
  async run({ mfs, paths, blocks, dag, settings, host }, call) {
    const { hash, size, format, withLocal } = call.options
    if ([hash, size, format !== '' && format !== FORMAT && format !== NEWER_FORMAT].filter(Boolean).length > 1)
      throw host.level === '0.28' ? mfsErrors.E_MFS_STAT_FORMAT() : prefixed('invalid parameters: ', mfsErrors.E_MFS_STAT_FORMAT())
    const path = checkPath(call.args.path)
    const encode = cidEncoder(call.options)
    const how = blockOptions(call)
    const { cid } = path.startsWith('/ipfs/') ? await paths.resolve(path, how) : await mfs.stat(path, how)
    const loaded = decodeBlock(cid, await blocks.get(cid, how), dag)
    const Type = statType(loaded, host.level)
    const stat = {
      Hash: encode(cid),
      Size: Type === 'directory' ? 0 : kindOf(loaded).size,
      CumulativeSize: BigInt.asUintN(64, cumulativeSize(loaded)),
      Blocks: loaded.node.length,
      Type
    }
    const metadata = metadataFields(loaded)
    if (!withLocal) return { ...stat, ...metadata }
    const local = await localSize(loaded, { blocks, dag, most: settings.maxStatBlocks, signal: call.signal })
    return { ...stat, WithLocality: true, Local: local.isWhole || undefined, SizeLocal: local.size || undefined, ...metadata }
  }
})

type Stat = z.input<typeof reply>

function statText(stat: Stat, { hash, size, format }: { hash?: boolean | undefined; size?: boolean | undefined; format: string }): string {
  const words: Readonly<Record<string, unknown>> = {
    '<hash>': inLine(stat.Hash),
    '<size>': stat.Size,
    '<cumulsize>': stat.CumulativeSize,
    '<childs>': stat.Blocks,
    '<type>': inLine(stat.Type),
    ...metadataWords(stat)
  }
  const form = hash ? '<hash>' : size ? '<cumulsize>' : format || FORMAT
  const text = `${form.replace(/<(?:hash|size|cumulsize|childs|type|mode|mode-octal|mtime|mtime-secs|mtime-nsecs)>/g, word => String(words[word]))}\n`
  if (!stat.WithLocality) return text
  const share = (100 * Number(stat.SizeLocal ?? 0)) / Number(stat.CumulativeSize)
  return `${text}Local: ${formatBytes(stat.SizeLocal ?? 0)} of ${formatBytes(stat.CumulativeSize)} (${share.toFixed(2)}%)\n`
}

/** A word of an answer, which may come from any node: it makes no line of its own, whatever lines the format has. */
function inLine(word: string): string {
  return word.replace(/\s/g, ' ')
}

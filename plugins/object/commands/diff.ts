import { z } from 'zod'
import { blockOptions } from '../../../core/blocks/options.ts'
import { lowLevelEncoder } from '../../../core/cid/encoder.ts'
import { cidToString, parseCid } from '../../../core/cid/parse.ts'
import { goQuote } from '../../../core/go/quote.ts'
import { command, p, value } from '../../../core/index.ts'
import { ADDED, Comparison, type Difference, REMOVED } from '../differences.ts'
import { nodeSources } from '../nodes.ts'
import { ObjectSettings } from '../settings.ts'

const link = z.object({ '/': z.string() }).nullable()
const change = z.object({ Type: z.int(), Path: z.string(), Before: link, After: link })

export const diff = command.read('object/diff', {
  status: 'deprecated',
  help: 'Find where two objects and all below them differ.',
  examples: [
    {
      title: 'See what changed between two versions of a folder',
      args: 'object diff -v QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
    }
  ],
  needs: { ...nodeSources, settings: ObjectSettings },
  args: { objA: p.contentPath('Object to compare.').wire('obj_a'), objB: p.contentPath('Object to compare it with.').wire('obj_b') },
  options: { verbose: p.bool('Say it in sentences; in text.').alias('v') },
  reply: value(z.object({ Changes: z.array(change) })),
  xml: 'Changes',
  escapes: ['Path'],
  text({ Changes }, { options }) {
    const encode = lowLevelEncoder(options)
    const line = options.verbose ? sentence : sign
    return Changes.map(({ Type, Path, Before, After }) => {
      const [before, after] = [Before, After].map(cid => (cid === null ? '' : encode(parseCid(cid['/'])))) as [string, string]
      return `${line(Type, goQuote(Path), before, after)}\n`
    }).join('')
  },
  async run({ settings, paths, ...sources }, call) {
    const how = blockOptions(call)
    const before = await paths.resolve(call.args.objA, how)
    const after = await paths.resolve(call.args.objB, how)
    const found = await new Comparison(sources, how, settings.maxCompared).of(before.cid, after.cid)
    return { Changes: found.map(changeOf) }
  }
})

function changeOf({ type, path, before, after }: Difference) {
  const linked = (cid: Difference['before']) => (cid === undefined ? null : { '/': cidToString(cid) })
  return { Type: type, Path: path, Before: linked(before), After: linked(after) }
}

function sentence(type: number, path: string, before: string, after: string): string {
  if (type === ADDED) return `Added new link ${path} pointing to ${after}.`
  return type === REMOVED ? `Removed link ${path} (was ${before}).` : `Changed ${path} from ${before} to ${after}.`
}

function sign(type: number, path: string, before: string, after: string): string {
  if (type === ADDED) return `+ ${after} ${path}`
  return type === REMOVED ? `- ${before} ${path}` : `~ ${before} ${after} ${path}`
}

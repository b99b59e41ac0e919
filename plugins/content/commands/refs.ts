import { blockOptions } from '../../../core/blocks/options.ts'
import { refStream } from '../../../core/blocks/ref-reply.ts'
import { cidEncoder } from '../../../core/cid/encoder.ts'
import { Blocks, command, Dag, messageOf, optional, PathResolver, p, ReadAhead } from '../../../core/index.ts'
import { contentErrors } from '../errors.ts'
import { refText } from '../ref.ts'
import { RefWalk } from '../ref-walk.ts'
import { ContentSettings } from '../settings.ts'

export const refs = command.read('refs', {
  help: 'List the links of objects.',
  examples: [
    { title: 'List all that a folder is made of, once each', args: 'refs -r --unique QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' },
    { title: 'Show which object links to which', args: 'refs -r --edges QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' }
  ],
  needs: { paths: PathResolver, blocks: Blocks, dag: Dag, budget: optional(ReadAhead), settings: ContentSettings },
  args: { ipfsPath: p.contentPath('Objects whose links are listed.').many().fromBody() },
  options: {
    format: p.string('How a link is written: <src>, <dst> and <linkname> are replaced.').default('<dst>'),
    edges: p.bool('Write links as `from -> to`.').alias('e'),
    unique: p.bool('List each object once.').alias('u'),
    recursive: p.bool('List the links of what is linked to as well.').alias('r'),
    maxDepth: p.int('How deep to go when listing recursively; -1 for all the way.').default(-1)
  },
  ...refStream,
  text: refText,
  async *run({ paths, blocks, dag, budget, settings }, call) {
    const { edges, unique = false, recursive, maxDepth } = call.options
    const options = blockOptions(call)
    const encode = cidEncoder(call.options)
    if (edges && call.options.format !== '<dst>') throw contentErrors.E_REFS_FORMAT()
    const format = edges ? '<src> -> <dst>' : call.options.format
    const roots = []
    for (const path of call.args.ipfsPath) roots.push((await paths.resolve(path, options)).cid)
    const walk = new RefWalk(
      { blocks, codecs: dag, limits: { ...settings.read, budget } },
      { format, encode, unique, maxDepth: recursive ? maxDepth : 1, maxReference: settings.maxReference },
      options
    )
    for (const root of roots) {
      try {
        for await (const batch of walk.refs(root)) for (const Ref of batch) yield { Ref, Err: '' }
      } catch (error) {
        yield { Ref: '', Err: messageOf(error) }
        if (call.signal.aborted) return
      }
    }
  }
})

import { z } from 'zod'
import { blockOptions } from '../../../core/blocks/options.ts'
import { decodeMultibase } from '../../../core/cid/bases.ts'
import { type CidEncoder, cidEncoder } from '../../../core/cid/encoder.ts'
import { cidToString, parseCid } from '../../../core/cid/parse.ts'
import { parseDuration } from '../../../core/go/duration.ts'
import { command, PathResolver, p, value } from '../../../core/index.ts'
import { contentErrors } from '../errors.ts'

export const resolve = command.read('resolve', {
  help: 'Find what a name or a path stands for.',
  examples: [
    { title: 'Find the CID of a file in a folder', args: 'resolve /ipfs/QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc/about/me.txt' }
  ],
  needs: { paths: PathResolver },
  args: { name: p.contentPath('The name or path.').fromBody() },
  options: {
    recursive: p.bool('Follow names until there is none left.').alias('r').default(true),
    dhtRecordCount: p.int('Records to ask the DHT for.').alias('dhtrc'),
    dhtTimeout: p.duration('How long to ask the DHT, e.g. 30s; 0 for as long as it takes.').alias('dhtt').raw()
  },
  reply: value(z.object({ Path: z.string() })),
  xml: 'ResolvedPath',
  text: ({ Path }) => `${Path}\n`,
  async run({ paths }, call) {
    const { name } = call.args
    const { recursive, dhtTimeout } = call.options
    const options = blockOptions(call)
    if (name.startsWith('/ipns/') && !recursive) {
      return { Path: await paths.follow(name, { ...options, recursive: false, dhtTimeout: dhtPatience(dhtTimeout) }) }
    }
    const encode = encoderFor(name, call.options.cidBase) ?? cidEncoder(call.options)
    const { namespace, cid, remainder } = await paths.resolve(name, options)
    return { Path: `/${namespace}/${encode(cid)}${remainder}` }
  }
})

function dhtPatience(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  const patience = parseDuration(text)
  if (patience < 0n) throw contentErrors.E_DHT_TIMEOUT()
  return patience
}

/** Unless a base is asked for, the answer is in that of the path: version 0 stays, others are upgraded to it. */
function encoderFor(name: string, cidBase: string | undefined): CidEncoder | undefined {
  if (cidBase !== undefined || name.startsWith('/ipns/')) return undefined
  const [first = '', , second = ''] = name.split('/', 3)
  const text = first === '' ? second : first
  try {
    if (parseCid(text).version === 0) return cid => cidToString(cid)
    const { base } = decodeMultibase(text)
    return cid => cidToString(cid.version === 0 ? cid.toV1() : cid, base)
  } catch {
    return undefined
  }
}

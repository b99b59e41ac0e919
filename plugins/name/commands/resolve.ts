import { z } from 'zod'
import { blockOptions } from '../../../core/blocks/index.ts'
import { parseDuration } from '../../../core/go/index.ts'
import { command, either, type NameOptions, type NameResolution, Names, p, Repo } from '../../../core/index.ts'
import { parseAbsolutePath } from '../../../core/path/index.ts'
import { nameErrors } from '../errors.ts'

const output = z.object({ Path: z.string() })

export const resolve = command.read('name/resolve', {
  help: 'Find where a name leads: that of a key, or a domain.',
  examples: [
    { title: "Find where the node's own name leads", args: 'name resolve' },
    { title: 'Ask other nodes again, and see each answer that is better than the one before', args: 'name resolve --nocache --stream' }
  ],
  needs: { names: Names, repo: Repo },
  args: { name: p.string("The name, with or without /ipns/ and a path after it; default the node's own.").optional().fromBody() },
  options: {
    recursive: p.bool('Follow names until there is none left.').alias('r').default(true),
    nocache: p.bool('Ask other nodes again.').alias('n'),
    dhtRecordCount: p.uint('Records to ask the DHT for.').alias('dhtrc').default(16),
    dhtTimeout: p.duration('How long to ask the DHT, e.g. 30s; 0 for as long as it takes.').alias('dhtt').raw().default('1m0s'),
    stream: p.bool('Send each answer that is better than the one before, as it is found.').alias('s')
  },
  reply: either(output, output),
  xml: 'ResolvedPath',
  text: ({ Path }) => `${Path}\n`,
  run({ names, repo }, call) {
    const { recursive, nocache, dhtRecordCount: recordCount, stream } = call.options
    const name = call.args.name ?? repo.identity.peerId
    const { text } = parseAbsolutePath(name.startsWith('/ipns/') ? name : `/ipns/${name}`)
    const options = { ...blockOptions(call), recursive, nocache, recordCount, dhtTimeout: patience(call.options.dhtTimeout) }
    return stream ? each(names.resolutions(text, options)) : last(names, text, options)
  }
})

async function last(names: Names, text: string, options: NameOptions): Promise<z.input<typeof output>> {
  return { Path: (await names.resolve(text, options)).path }
}

async function* each(resolutions: AsyncIterable<NameResolution>): AsyncGenerator<z.input<typeof output>> {
  for await (const { path } of resolutions) yield { Path: path }
}

function patience(text: string): bigint {
  const nanoseconds = parseDuration(text)
  if (nanoseconds < 0n) throw nameErrors.E_NAME_DHT_TIMEOUT()
  return nanoseconds
}

import { z } from 'zod'
import { blockOptions } from '../../../core/blocks/index.ts'
import { parseDuration } from '../../../core/go/index.ts'
import { Blocks, command, Host, Log, messageOf, Names, PathResolver, p, SELF, value } from '../../../core/index.ts'
import { parseContentPath } from '../../../core/path/index.ts'
import { nameErrors } from '../errors.ts'
import { checkWays } from '../publish/ways.ts'

const NO_ROUTE =
  'no route leads to other nodes. A daemon that is online, with another Routing.Type than none, puts it there when it republishes'

export const publish = command.write('name/publish', {
  blocks: 'neither',
  help: 'Make a name lead to a content path: the name of a key of this node.',
  examples: [
    {
      title: "Publish under the node's own name",
      args: 'name publish --allow-offline /ipfs/QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc'
    },
    {
      title: 'Publish under the name of a key, for a day',
      args: 'name publish --allow-offline --key=site --lifetime=24h /ipfs/QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc'
    }
  ],
  needs: { names: Names, paths: PathResolver, blocks: Blocks, host: Host, log: Log },
  args: { ipfsPath: p.contentPath('Where the name is to lead.').fromBody() },
  options: {
    key: p
      .name("Name of the key, or its ID; default the node's own.")
      .alias('k')
      .default(SELF)
      .completedBy('key/list', ({ Keys }: { Keys: ReadonlyArray<{ Name: string }> }) => Keys.map(({ Name }) => Name)),
    resolve: p.bool('Look first whether there is something at the path.').default(true),
    lifetime: p.duration('How long the record is good, e.g. 24h.').alias('t').raw().default('48h0m0s'),
    ttl: p.duration('How long readers may take the record for the newest.').raw().default('1h0m0s'),
    quieter: p.bool('Print the name only.').alias('Q'),
    v1compat: p.bool('Sign the record in the older form, too.').default(true),
    allowOffline: p.bool('Publish also where no route leads to other nodes.'),
    allowDelegated: p.bool('Publish by the publishers over HTTP alone (Ipns.DelegatedPublishers), which takes no route.'),
    sequence: p.uint64(
      'The sequence number of the record, above that of the present one. Default: one more where the name leads elsewhere.'
    ),
    ipnsBase: p.string('Has no effect: names are written in base36.')
  },
  reply: value(z.object({ Name: z.string(), Value: z.string() })),
  xml: 'IpnsEntry',
  text: ({ Name, Value }, { options }) => (options.quieter ? `${Name}\n` : `Published to ${Name}: ${Value}\n`),
  async run({ names, paths, blocks, host, log }, call) {
    const { key, allowOffline, allowDelegated, sequence, v1compat: v1Compatible, resolve } = call.options
    checkWays(call.options, names)
    const lifetime = lifetimeOf(call.options.lifetime)
    const ttl = parseDuration(call.options.ttl)
    if (names.reserved !== undefined) throw nameErrors.E_PUBLISH_RESERVED(names.reserved)
    const { text } = parseContentPath(call.args.ipfsPath)
    if (resolve) {
      const options = blockOptions(call)
      await blocks.get((await paths.resolve(text, options)).cid, options)
    }
    if (host.level !== '0.28' && names.routes.length === 0 && !allowOffline && !allowDelegated) throw nameErrors.E_PUBLISH_OFFLINE_NEWER()
    const record = { key, lifetime, ttl, v1Compatible, sequence }
    const { name, path } = await names.publish(text, { ...record, allowOffline, allowDelegated, signal: call.signal })
    // the answer is the reference's, which says nothing of it
    if (names.routes.length === 0 && !allowDelegated) log.error(`${name} was published where this node alone sees it: ${NO_ROUTE}`)
    return { Name: name, Value: path }
  }
})

function lifetimeOf(text: string): bigint {
  let lifetime: bigint
  try {
    lifetime = parseDuration(text)
  } catch (error) {
    throw nameErrors.E_PUBLISH_LIFETIME(messageOf(error))
  }
  if (lifetime <= 0n) throw nameErrors.E_PUBLISH_LIFETIME_NONE(text)
  return lifetime
}

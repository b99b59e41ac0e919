import { z } from 'zod'
import { command, p, value } from '../../../core/index.ts'
import { DnsTxt, followDns, MOST_STEPS } from '../dnslink.ts'
import { OlderSettings } from '../settings.ts'

export const dns = command.read('dns', {
  status: 'deprecated',
  help: 'Follow the link that the DNS has for a domain.',
  needs: { settings: OlderSettings },
  args: { domainName: p.string('The domain, and what is below it.').fromBody() },
  options: { recursive: p.bool('Go on until it is no name.').alias('r').default(true) },
  reply: value(z.object({ Path: z.string() })),
  xml: 'ResolvedPath',
  text: ({ Path }) => `${Path}\n`,
  async run({ settings }, { args, options, signal }) {
    const lookup = new DnsTxt(settings.dnsServers)
    return { Path: await followDns(args.domainName, options.recursive ? MOST_STEPS : 1, lookup, signal) }
  }
})

import { z } from 'zod'
import { setting, settings, type Token } from '../../core/index.ts'

const time = (usual: string, max: string, about: string) => setting.duration(usual, { min: '1ms', max }).describe(`${about}.`)

export const nameSettings = z.strictObject({
  fixed: z
    .record(z.string().min(1), z.string())
    .default({})
    .describe(
      'Names that lead to a path whatever records say, for this node alone: `{ docs.example: /ipfs/Qm… }`. IPFS_NS_MAP adds to them, as `name:path`, with commas between several.'
    ),
  dns: z
    .enum(['system', 'none'])
    .default('system')
    .describe(
      "Who is asked for the TXT records of domains that no entry of the node configuration's DNS.Resolvers is for: the system's name servers, or nobody."
    ),
  dnsTimeout: time('30s', '10m', 'How long one look-up of a domain may take'),
  maxDomains: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(1024)
    .describe(
      'Most domains whose answers are remembered, of each resolver of DNS.Resolvers; 0: none. The one that was asked for the longest ago is given up first.'
    ),
  routeTimeout: time('1m', '1h', 'How long putting a record where other nodes find it may take')
})

export type NameSettings = z.output<typeof nameSettings>
export const NameSettings: Token<NameSettings> = settings<typeof nameSettings>()

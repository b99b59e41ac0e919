import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

const milliseconds = (value: number, most: number, about: string) =>
  z.int().min(1).max(most).default(value).describe(`Most milliseconds that ${about}.`)

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
  dnsTimeout: milliseconds(30_000, 600_000, 'one look-up of a domain takes'),
  maxDomains: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(1024)
    .describe(
      'Most domains whose answers are remembered, of each resolver of DNS.Resolvers; 0: none. The one that was asked for the longest ago is given up first.'
    ),
  routeTimeout: milliseconds(60_000, 3_600_000, 'putting a record where other nodes find it takes')
})

export type NameSettings = z.output<typeof nameSettings>
export const NameSettings: Token<NameSettings> = settings<typeof nameSettings>()

import { z } from 'zod'
import { command, p, value } from '../../../../core/index.ts'
import { PIN_STATUSES } from '../../client/answers.ts'
import { columns } from '../../replies.ts'
import { type ConfiguredService, type RemoteServices, RemoteServicesToken } from '../../services.ts'

/** Services that are asked at a time. */
const AT_ONCE = 8

const counts = z.object({ Queued: z.int(), Pinning: z.int(), Pinned: z.int(), Failed: z.int() })
const stat = z.object({ Status: z.enum(['valid', 'invalid']), PinCount: counts.optional() })
const listed = z.object({ Service: z.string(), ApiEndpoint: z.string(), Stat: stat.optional() })

export const serviceLs = command.admin('pin/remote/service/ls', {
  help: 'List the pinning services of the node configuration. No key is shown.',
  examples: [{ title: 'See which services answer, and how many pins each has', args: 'pin remote service ls --stat' }],
  needs: { services: RemoteServicesToken },
  options: { stat: p.bool('Ask each service how many pins it has: queued, pinning, pinned and failed.').default(false) },
  reply: value(z.object({ RemoteServices: z.array(listed) })),
  text: ({ RemoteServices }, { options }) => columns(RemoteServices.map(one => row(one, options.stat))),
  onlyReads: () => true,
  async run({ services }, { options, signal }) {
    const all = [...services.list()].map(([Service, configured]) => ({ Service, configured }))
    const Listed: Array<z.output<typeof listed>> = []
    for (let at = 0; at < all.length; at += AT_ONCE) {
      const some = all.slice(at, at + AT_ONCE).map(async ({ Service, configured }) => ({
        Service,
        ApiEndpoint: configured.API.Endpoint,
        ...(options.stat && { Stat: await statOf(services, configured, signal) })
      }))
      Listed.push(...(await Promise.all(some)))
    }
    return { RemoteServices: Listed }
  }
})

/** How many pins a service has in each state; whatever fails makes it an invalid one (Kubo 0.28). */
async function statOf(services: RemoteServices, configured: ConfiguredService, signal: AbortSignal): Promise<z.output<typeof stat>> {
  try {
    const service = services.open(configured, signal)
    const [Queued, Pinning, Pinned, Failed] = await Promise.all(PIN_STATUSES.map(status => service.count(status)))
    return { Status: 'valid', PinCount: { Queued: Queued!, Pinning: Pinning!, Pinned: Pinned!, Failed: Failed! } }
  } catch {
    signal.throwIfAborted()
    return { Status: 'invalid' }
  }
}

function row({ Service, ApiEndpoint, Stat }: z.output<typeof listed>, withStat: boolean): string[] {
  if (!withStat) return [Service, ApiEndpoint]
  const of = Stat?.PinCount
  return [Service, ApiEndpoint, of === undefined ? 'invalid' : `${of.Queued}/${of.Pinning}/${of.Pinned}/${of.Failed}`]
}

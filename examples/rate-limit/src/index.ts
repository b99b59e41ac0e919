/**
 * Lets a caller ask so often and no more: calls, calls that are none, and routes of plugins. Callers in this process and on unix sockets
 * have no limit.
 */
import { defineErrors, hook, plugin, service, settings, token } from 'holdfast'
import { Buckets, isProxy, Proxies, whoIs } from 'holdfast/callers'
import { z } from 'zod'

const schema = z.strictObject({
  perSecond: z.number().positive().default(20).describe('Requests that a caller may make in a second, on average.'),
  burst: z.int().min(1).default(40).describe('Requests that it may make at once after a time of silence.'),
  callers: z.int().min(1).default(10_000).describe('Callers that are remembered.'),
  trustedProxies: z
    .array(z.string().refine(isProxy, 'an IP address, or a network such as 10.0.0.0/8'))
    .default([])
    .describe('Proxies whose X-Forwarded-For is believed.')
})

const errors = defineErrors({
  E_RATE_LIMITED: {
    wire: 'rateLimited',
    message: (seconds: number) => `too many requests: try again in ${seconds} s`,
    http: (seconds: number) => ({ headers: { 'Retry-After': String(seconds) } })
  }
})

interface Limiter {
  /** @throws E_RATE_LIMITED */
  take(who: string): void
  readonly proxies: Proxies
}
const Limiter = token<Limiter>('rate-limit')

const limiter = service(Limiter, {
  needs: { settings: settings<typeof schema>() },
  make({ settings }) {
    const buckets = new Buckets(settings)
    return {
      proxies: new Proxies(settings.trustedProxies),
      take(who) {
        const wait = buckets.take(who)
        if (wait > 0) throw errors.E_RATE_LIMITED(Math.ceil(wait))
      }
    }
  }
})

const limit = hook({
  also: ['malformed', 'routes'],
  needs: { limiter: Limiter },
  async run({ limiter }, { caller }, next) {
    const who = whoIs(caller, limiter.proxies)
    if (who !== undefined) limiter.take(who)
    return next()
  }
})

export default plugin({
  name: 'rate-limit',
  api: '^1',
  about: 'Lets a caller ask so often and no more.',
  settings: schema,
  internal: [limiter],
  around: [limit],
  errors
})

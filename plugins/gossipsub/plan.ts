import { parseDuration } from '../../core/go/duration.ts'
import type { Json } from '../../core/index.ts'
import { gossipsubErrors } from './errors.ts'

/** The section of the node configuration about pubsub. */
export interface PubsubPlan {
  readonly enabled: boolean
  readonly router: 'gossipsub' | 'floodsub'
  readonly signs: boolean
  /** How long a message is remembered as seen, in milliseconds. */
  readonly seenTtl: number
  /** Whether that time begins anew when the message is seen again. */
  readonly renews: boolean
}

/** Kubo 0.28, config/pubsub.go: `120s`, `last-seen`. */
const [SEEN_TTL, STRATEGY] = ['120s', 'last-seen']

/** @throws E_PUBSUB_ROUTER, E_PUBSUB_STRATEGY, E_PUBSUB_TTL */
export function pubsubPlan(get: (key: string) => Json | undefined, enabled: boolean | undefined): PubsubPlan {
  const router = text(get('Pubsub.Router'), 'gossipsub')
  const strategy = text(get('Pubsub.SeenMessagesStrategy'), STRATEGY)
  const isOn = enabled ?? (get('Pubsub.Enabled') === true || get('Ipns.UsePubsub') === true)
  if (router !== 'gossipsub' && router !== 'floodsub') throw gossipsubErrors.E_PUBSUB_ROUTER(router)
  if (strategy !== 'last-seen' && strategy !== 'first-seen') throw gossipsubErrors.E_PUBSUB_STRATEGY(strategy)
  return {
    enabled: isOn,
    router,
    signs: get('Pubsub.DisableSigning') !== true,
    seenTtl: milliseconds(text(get('Pubsub.SeenMessagesTTL'), SEEN_TTL)),
    renews: strategy === 'last-seen'
  }
}

const text = (value: Json | undefined, otherwise: string) =>
  value === undefined || value === null || value === '' ? otherwise : `${value}`

function milliseconds(duration: string): number {
  let time: number
  try {
    time = Number(parseDuration(duration) / 1_000_000n)
  } catch {
    throw gossipsubErrors.E_PUBSUB_TTL(duration)
  }
  if (time <= 0) throw gossipsubErrors.E_PUBSUB_TTL(duration)
  return time
}

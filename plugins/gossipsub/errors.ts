import { defineErrors } from '../../core/index.ts'

/** Errors of the node configuration about pubsub, and of what peers send. */
export const gossipsubErrors = defineErrors({
  E_PUBSUB_ROUTER: { message: (name: string) => `Pubsub.Router: unknown pubsub router '${name}': it is gossipsub or floodsub` },
  E_PUBSUB_RPC: { message: (why: string) => `not an RPC of pubsub: ${why}` },
  E_PUBSUB_STRATEGY: {
    message: (name: string) => `Pubsub.SeenMessagesStrategy: unknown strategy '${name}': it is last-seen or first-seen`
  },
  E_PUBSUB_TTL: { message: (text: string) => `Pubsub.SeenMessagesTTL: ${text} is no time that messages can be remembered` }
})

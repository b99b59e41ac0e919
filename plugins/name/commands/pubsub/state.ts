import { z } from 'zod'
import { command, NameSubscriptions, optional, value } from '../../../../core/index.ts'

export const state = command.read('name/pubsub/state', {
  status: 'experimental',
  help: 'Tell whether this node learns of names as they are published.',
  examples: [{ title: 'See whether it does', args: 'name pubsub state' }],
  needs: { subscriptions: optional(NameSubscriptions) },
  reply: value(z.object({ Enabled: z.boolean() })),
  xml: 'ipnsPubsubState',
  text: ({ Enabled }) => (Enabled ? 'enabled\n' : 'disabled\n'),
  run: ({ subscriptions }) => ({ Enabled: subscriptions?.enabled === true })
})

import { z } from 'zod'
import { command, messageOf, NameSubscriptions, optional, p, value } from '../../../../core/index.ts'
import { parseName } from '../../../../core/ipns/index.ts'
import { nameErrors } from '../../errors.ts'

export const cancel = command.write('name/pubsub/cancel', {
  status: 'experimental',
  blocks: 'neither',
  help: 'End a subscription to a name.',
  needs: { subscriptions: optional(NameSubscriptions) },
  args: { name: p.string('The name.').fromBody() },
  reply: value(z.object({ Canceled: z.boolean() })),
  xml: 'ipnsPubsubCancel',
  text: ({ Canceled }) => (Canceled ? 'canceled\n' : 'no subscription\n'),
  async run({ subscriptions }, { args }) {
    if (subscriptions?.enabled !== true) throw nameErrors.E_NAME_SUBSCRIPTIONS()
    return { Canceled: await subscriptions.cancel(nameOf(args.name)) }
  }
})

function nameOf(text: string): Uint8Array {
  try {
    return parseName(text)
  } catch (error) {
    throw nameErrors.E_NAME_SUBSCRIBED(messageOf(error))
  }
}

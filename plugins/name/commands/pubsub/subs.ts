import { z } from 'zod'
import { command, NameSubscriptions, optional, p, value } from '../../../../core/index.ts'
import { formatPeerId } from '../../../../core/keys/index.ts'
import { nameErrors } from '../../errors.ts'

export const subs = command.read('name/pubsub/subs', {
  status: 'experimental',
  help: 'List the names that this node is subscribed to.',
  needs: { subscriptions: optional(NameSubscriptions) },
  options: { ipnsBase: p.string('How names are written: b58mh, or a multibase.').default('base36') },
  reply: value(z.object({ Strings: z.array(z.string()).nullable() })),
  xml: 'stringList',
  text: ({ Strings }) => (Strings ?? []).map(name => `${name}\n`).join(''),
  run({ subscriptions }, { options }) {
    if (subscriptions?.enabled !== true) throw nameErrors.E_NAME_SUBSCRIPTIONS()
    formatPeerId(new Uint8Array(), options.ipnsBase)
    const names = subscriptions.list().map(multihash => `/ipns/${formatPeerId(multihash, options.ipnsBase)}`)
    return { Strings: names.length === 0 ? null : names }
  }
})

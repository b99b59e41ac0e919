import { z } from 'zod'
import { printed } from '../../../core/go/index.ts'
import { command, optional, Pubsub, value } from '../../../core/index.ts'
import { switchedOn, textOf, topicText } from '../topic.ts'

export const ls = command.read('pubsub/ls', {
  status: 'deprecated',
  help: 'List the topics that somebody on this node listens to.',
  examples: [{ title: 'See what is listened to', args: 'pubsub ls' }],
  needs: { pubsub: optional(Pubsub) },
  reply: value(z.object({ Strings: z.array(z.string().describe('A topic in base64url.')).nullable() })),
  xml: 'stringList',
  text: ({ Strings }) => (Strings ?? []).map(topic => `${printed(textOf(topic))}\n`).join(''),
  run({ pubsub }) {
    const topics = switchedOn(pubsub).topics()
    return { Strings: topics.length === 0 ? null : topics.map(topicText) }
  }
})

import { z } from 'zod'
import { command, optional, Pubsub, value } from '../../../core/index.ts'
import { switchedOn, topicArgument, topicOf } from '../topic.ts'

export const peers = command.read('pubsub/peers', {
  status: 'deprecated',
  help: 'List the peers that speak pubsub, or those that listen to a topic.',
  examples: [{ title: 'Who listens to the topic news', args: 'pubsub peers news' }],
  needs: { pubsub: optional(Pubsub) },
  args: { topic: topicArgument.optional() },
  reply: value(z.object({ Strings: z.array(z.string()) })),
  xml: 'stringList',
  text: ({ Strings }) => Strings.map(peer => `${peer}\n`).join(''),
  run({ pubsub }, { args }) {
    const topic = args.topic === undefined ? undefined : topicOf(args.topic)
    return { Strings: [...switchedOn(pubsub).peers(topic)] }
  }
})

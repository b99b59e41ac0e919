import { z } from 'zod'
import { command, optional, Pubsub, type PubsubSubscription, stream } from '../../../core/index.ts'
import { inBase64url, switchedOn, textOf, topicArgument, topicOf, topicText } from '../topic.ts'

const message = z.object({
  from: z.string().optional().describe('The peer that sent it; none where messages are not signed.'),
  data: z.string().describe('In base64url, as all that follows.'),
  seqno: z.string(),
  topicIDs: z.array(z.string())
})

export const sub = command.read('pubsub/sub', {
  status: 'deprecated',
  help: 'Listen to a topic: messages are shown as they come, until the caller leaves.',
  needs: { pubsub: optional(Pubsub) },
  args: { topic: topicArgument },
  reply: stream(message, { eager: true }),
  xml: 'pubsubMessage',
  text: ({ data }) => textOf(data),
  async run({ pubsub }, { args, signal }) {
    const topic = topicOf(args.topic)
    return messages(switchedOn(pubsub).subscribe(topic, { signal }))
  }
})

async function* messages(subscription: PubsubSubscription): AsyncGenerator<z.input<typeof message>> {
  for await (const { from, data, sequence, topic } of subscription) {
    yield {
      ...(from === '' ? {} : { from }),
      data: inBase64url(data),
      seqno: inBase64url(sequence),
      topicIDs: [topicText(topic)]
    }
  }
}

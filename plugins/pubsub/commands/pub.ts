import { gather } from '../../../core/body/index.ts'
import { pubsubErrors } from '../../../core/errors/pubsub.ts'
import { command, files, nothing, optional, Pubsub } from '../../../core/index.ts'
import { PublishInputs } from '../tokens.ts'
import { switchedOn, topicArgument, topicOf } from '../topic.ts'

export const pub = command.write('pubsub/pub', {
  status: 'deprecated',
  blocks: 'neither',
  help: 'Send a message to all that listen to a topic.',
  needs: { pubsub: optional(Pubsub), inputs: PublishInputs },
  args: { topic: topicArgument },
  body: files('data', 'The message.', { many: false }),
  reply: nothing(),
  async run({ pubsub, inputs }, { args, body }) {
    const topic = topicOf(args.topic)
    const service = switchedOn(pubsub)
    const held = inputs.begin()
    try {
      for await (const part of body) {
        if (part.kind !== 'file') continue
        const tooLarge = () => pubsubErrors.E_PUBSUB_TOO_LARGE(service.maxMessage)
        const { bytes } = await gather(part, service.maxMessage, tooLarge, held)
        return await service.publish(topic, bytes)
      }
    } finally {
      held.release()
    }
  }
})

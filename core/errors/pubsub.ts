import { defineErrors } from '../errors.ts'
import { goQuote } from '../go/quote.ts'

/** Errors that keep a message from being sent or listened to. Text of the first: Kubo 0.28, core/commands/pubsub.go. */
export const pubsubErrors = defineErrors({
  E_PUBSUB_OFF: { message: () => 'experimental pubsub feature not enabled, run daemon with --enable-pubsub-experiment to use' },
  E_PUBSUB_TOO_LARGE: {
    wire: 'client',
    message: (most: number) => `the message has more than ${most} bytes (plugins.gossipsub.maxMessage): peers would drop it`
  },
  E_PUBSUB_CHECKED: { message: (topic: string) => `the messages of the topic ${goQuote(topic)} are judged by somebody else already` }
})

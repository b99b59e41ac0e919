import { defineErrors } from '../../core/index.ts'

/** Texts of the first two: Kubo 0.28, core/commands/pubsub.go. */
export const pubsubCommandErrors = defineErrors({
  E_PUBSUB_TOPIC: { message: (why: string) => `URL arg must be multibase encoded: ${why}` },
  E_PUBSUB_TOPIC_BASE: { message: () => 'URL arg must be base64url encoded' },
  E_PUBSUB_TOPIC_TEXT: { wire: 'client', message: (topic: string) => `the topic ${topic} is no UTF-8: topics are text` }
})

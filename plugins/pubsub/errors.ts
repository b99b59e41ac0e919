import { defineErrors } from '../../core/index.ts'

/** Texts: Kubo 0.28, core/commands/pubsub.go. */
export const pubsubCommandErrors = defineErrors({
  E_PUBSUB_TOPIC: { message: (why: string) => `URL arg must be multibase encoded: ${why}` },
  E_PUBSUB_TOPIC_BASE: { message: () => 'URL arg must be base64url encoded' }
})

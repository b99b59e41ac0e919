import { defineErrors } from '../../core/index.ts'

/** Errors that keep a record from travelling. */
export const namePubsubErrors = defineErrors({
  E_NAME_PUBSUB_ALONE: { message: () => 'no peer that speaks pubsub is connected' },
  E_NAME_FETCH: { message: (why: string) => `malformed message of the fetch protocol: ${why}` }
})

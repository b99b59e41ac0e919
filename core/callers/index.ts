/**
 * The caller of a request, how often it may ask, whether it takes its answer, and the secret that proves who it is: for limits and secrets of plugins.
 *
 * @packageDocumentation
 */

export { Attempts } from './attempts.ts'
export { AUDIT, Audit, type Refused } from './audit.ts'
export type { Rate } from './buckets.ts'
export { Buckets } from './buckets.ts'
export { hashOfSecret, newSecret } from './secret.ts'
export { taken, watchClient, watchEnd } from './stalled.ts'
export { tokenUse, tokenUseOf, tokenUseText } from './token-use.ts'
export { SecretUses } from './uses.ts'
export { isProxy, networkOf, Proxies, whoIs } from './who.ts'

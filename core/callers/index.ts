/**
 * Whose a request is, and how often its caller may ask: for limits of plugins.
 *
 * @packageDocumentation
 */
export type { Rate } from './buckets.ts'
export { Buckets } from './buckets.ts'
export { isProxy, Proxies, whoIs } from './who.ts'

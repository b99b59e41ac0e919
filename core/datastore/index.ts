/**
 * The base of a datastore of one's own.
 *
 * @packageDocumentation
 */
export { BaseDatastore } from './base.ts'

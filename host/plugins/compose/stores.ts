import { Blockstore, Datastore, tokenName } from '../../../core/index.ts'

/** Services that keep content whether or not those who make them say how. */
export const STORES: ReadonlySet<string> = new Set([Blockstore, Datastore].map(tokenName))

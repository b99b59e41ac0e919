import type { Datastore as InterfaceDatastore } from 'interface-datastore'
import { type Token, token } from '../../token.ts'

/** Keys and small values: pins, names, records, state. Any implementation of the ecosystem's interface fits; `batch()` is atomic. */
export interface Datastore extends InterfaceDatastore {
  /** A durability point: what was written before survives power loss once this resolves. Absent: every write is one. */
  sync?(): Promise<void>
}
export const Datastore: Token<Datastore> = token<Datastore>('datastore')

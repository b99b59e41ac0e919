import { Key } from 'interface-datastore'
import type { Datastore } from '../../core/index.ts'
import { diagnosticsErrors } from './errors.ts'

/** The datastore of the node. @throws E_DATASTORE_NONE */
export function present(datastore: Datastore | undefined): Datastore {
  if (datastore === undefined) throw diagnosticsErrors.E_DATASTORE_NONE()
  return datastore
}

/** The key of a datastore that a text names. @throws E_DATASTORE_KEY for one that does not start with a slash */
export function keyOf(text: string): Key {
  if (!text.startsWith('/')) throw diagnosticsErrors.E_DATASTORE_KEY(text)
  return new Key(text)
}

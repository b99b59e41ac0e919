import { Key } from 'interface-datastore'
import { diagnosticsErrors } from './errors.ts'

/** The key of a datastore that a text names. @throws E_DATASTORE_KEY for one that does not start with a slash */
export function keyOf(text: string): Key {
  if (!text.startsWith('/')) throw diagnosticsErrors.E_DATASTORE_KEY(text)
  return new Key(text)
}

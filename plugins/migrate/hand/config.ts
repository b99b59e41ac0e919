import { parseJsonExactly } from '../../../core/go/json.ts'
import type { Json, NodeConfig, NodeConfigModel } from '../../../core/index.ts'
import type { Translated } from '../kubo/config.ts'

type Members = { [key: string]: Json }

/** The fields that Kubo knows of a secret; all else bounds what a caller may do. */
const KUBO_KEYS: readonly string[] = ['AuthSecret', 'AllowedPaths']

/**
 * The configuration as Kubo 0.28 takes it: with its own way of storing, and without secrets of callers that may do less here than Kubo would let
 * them do.
 */
export function forKubo(config: NodeConfig, usual: NodeConfig, print: NodeConfigModel['print']): Translated & { readonly file: string } {
  const result = parseJsonExactly(JSON.stringify(config)) as Members
  const changes: string[] = []
  result['Datastore'] = { ...(result['Datastore'] as Members), Spec: (usual['Datastore'] as Members)['Spec']! }
  const secrets = (result['API'] as Members | undefined)?.['Authorizations'] as Members | null | undefined
  for (const [name, entry] of Object.entries(secrets ?? {})) {
    if (Object.keys((entry ?? {}) as Members).every(key => KUBO_KEYS.includes(key))) continue
    delete secrets![name]
    changes.push(`API.Authorizations.${name}: left out, as Kubo could not hold its bearer to what it may do`)
  }
  return { config: result, changes, file: print(result) }
}

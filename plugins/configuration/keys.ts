import { hasCode, type Json, type NodeConfig, type NodeConfigModel } from '../../core/index.ts'
import { configurationErrors } from './errors.ts'

const PRIVATE_KEY: readonly string[] = ['identity', 'identity.privkey']
const SERVICE_KEY: readonly string[] = ['pinning', 'remoteservices', '*', 'api', 'key']

/**
 * Refuses keys that hold, or lead to, what no caller may see or change, in whatever case they are written (Kubo 0.28, core/commands/config.go).
 *
 * @throws E_CONFIG_PRIVATE_KEY, E_CONFIG_SERVICE_KEY
 */
export function checkKey(key: string): void {
  const folded = key.toLowerCase()
  if (PRIVATE_KEY.includes(folded)) throw configurationErrors.E_CONFIG_PRIVATE_KEY()
  const parts = folded.split('.')
  if (SERVICE_KEY.every((part, i) => part === '*' || i >= parts.length || part === parts[i]))
    throw configurationErrors.E_CONFIG_SERVICE_KEY()
}

/**
 * The value that a caller is shown under a key; undefined where there is only a secret.
 *
 * @throws E_CONFIG_KEY_ABSENT, E_CONFIG_KEY_PARENT where there is nothing
 */
export function shownAt(model: NodeConfigModel, config: NodeConfig, key: string): Json | undefined {
  model.read(config, key)
  try {
    return model.read(model.shown(config), key)
  } catch (error) {
    if (hasCode(error, 'E_CONFIG_KEY_ABSENT') || hasCode(error, 'E_CONFIG_KEY_PARENT')) return undefined
    throw error
  }
}

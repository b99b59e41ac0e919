import type { NodeConfig, NodeConfigModel, Repo } from '../../core/index.ts'
import { isSameRefusal } from '../../core/repo/index.ts'
import { configurationErrors } from './errors.ts'
import type { ConfigurationSettings } from './settings.ts'

/** The services of commands that change the node configuration. */
export interface Changing {
  readonly repo: Repo
  readonly model: NodeConfigModel
  readonly settings: ConfigurationSettings
}

/**
 * Changes the file: as a whole, and in one step with reading it. Members that the model does not know stay. What no node would start with is refused, unless
 * it was there before.
 *
 * @throws E_CONFIG_LARGE, E_CONFIG_TYPE, E_CONFIG_SYNTAX, E_CONFIG_VALUE; what the change throws
 */
export function changeConfig(
  { repo, model, settings }: Changing,
  change: (file: NodeConfig) => NodeConfig | Promise<NodeConfig>,
  options?: { readonly backup?: string; readonly mends?: boolean }
): Promise<void> {
  return repo.updateConfig(async file => {
    const next = await change(file)
    if (Buffer.byteLength(model.print(next)) > settings.maxBytes) throw configurationErrors.E_CONFIG_LARGE(settings.maxBytes)
    const before = await model.stopping(file)
    const problem = (await model.stopping(next)).find(one => !before.some(other => isSameRefusal(one, other)))
    if (problem !== undefined) throw problem
    return next
  }, options)
}

import type { Json, NodeConfig, NodeConfigModel, RefusedValue } from '../../core/index.ts'
import { isSameRefusal } from '../../core/repo/index.ts'

/** A node configuration as the node works with it: defaults filled in, this run's overrides on top. Answers are remembered. */
export class EffectiveConfig {
  readonly #tree: NodeConfig
  readonly #known = new Map<string, Json | undefined>()

  /** Values of the file that are refused count as absent. */
  constructor(model: NodeConfigModel, config: NodeConfig, overrides: NodeConfig, refused: readonly RefusedValue[] = []) {
    const changed = Object.entries(overrides).reduce((whole, [key, value]) => model.merge(whole, nested(key.split('.'), value)), config)
    try {
      this.#tree = model.effective(changed, value => {
        if (!refused.some(one => isSameRefusal(one, value))) throw value
      })
    } catch (error) {
      // the file names its own keys as it is read: this is one of the overrides, of which only what the reference says names none
      const { key, message } = error as Error & { readonly key?: string }
      if (key !== undefined && !message.startsWith(`${key} `)) (error as Error).message = `${key}: ${message}`
      throw error
    }
  }

  /** @returns undefined for a key that neither the file nor the defaults know */
  get(key: string): Json | undefined {
    if (this.#known.has(key)) return this.#known.get(key)
    let value: Json | undefined = this.#tree
    for (const name of key.split('.')) value = member(value, name)
    this.#known.set(key, value)
    return value
  }
}

function nested([name, ...namesBelow]: readonly string[], value: Json): NodeConfig {
  return { [name!]: namesBelow.length === 0 ? value : nested(namesBelow, value) }
}

function member(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, name) ? (value as NodeConfig)[name] : undefined
}

import { type Kept, messageOf, type StorageLayer, type StorageLayers, tokenName } from '../../../core/index.ts'
import { isLayout, refuseOtherLayers } from '../../../core/repo/layouts.ts'
import { hostErrors } from '../../errors.ts'
import { PATIENCE_MS, within } from '../lifecycle.ts'
import type { LoadedPlugin } from '../load/load.ts'
import type { Composition } from './composition.ts'
import { STORES } from './stores.ts'

/** The layers of a host's services, and the plugins that could not say theirs. */
interface Layering {
  readonly layers: StorageLayers
  readonly failures: ReadonlyMap<LoadedPlugin, unknown>
}

/**
 * Asks the plugins of a composition how they store what they keep in the repo of a folder. A service of one that fails has no layers.
 *
 * @param patience - how long each may take to say it, in milliseconds
 */
export async function layersOf(
  { order, providers }: Pick<Composition, 'order' | 'providers'>,
  repo: string,
  patience = PATIENCE_MS
): Promise<Layering> {
  const layers = new Map<string, readonly StorageLayer[]>()
  const failures = new Map<LoadedPlugin, unknown>()
  const byName = new Map(order.map(one => [one.plugin.name, one]))
  for (const [service, names] of providers) {
    const chain = names.flatMap(name => byName.get(name) ?? [])
    if (chain.length === 0) continue
    const all = await Promise.all(
      chain.map(one =>
        layerOf(one, service, { isBase: one === chain.at(-1), repo, patience }).catch((error: unknown) => {
          failures.set(one, error)
          return undefined
        })
      )
    )
    if (chain.some(one => failures.has(one))) continue
    layers.set(service, all.at(-1) === undefined ? [] : all.filter(layer => layer !== undefined))
  }
  return { layers, failures }
}

/**
 * The faults that keep a composition from starting over the repo of a folder, as far as that can be told without starting. Nothing is changed.
 *
 * @throws E_PLUGIN_FAILED of a plugin that is vital and cannot say how it stores, E_STORAGE_LAYOUT, E_REPO_STORAGE, E_LAYOUTS_FILE
 */
export async function refuseLayers(composition: Composition, repo: string, isVital: (plugin: string) => boolean): Promise<void> {
  const { layers, failures } = await layersOf(composition, repo)
  for (const [{ plugin, from }, error] of failures)
    if (isVital(plugin.name)) throw hostErrors.E_PLUGIN_FAILED(plugin.name, from, messageOf(error))
  await refuseOtherLayers(repo, layers)
}

interface LayerOptions {
  readonly isBase: boolean
  readonly repo: string
  readonly patience: number
}

/**
 * @returns undefined for a wrapper that changes nothing of what is stored, and for what keeps nothing
 * @throws E_PLUGIN_SLOW, E_SERVICE_LAYOUT
 */
async function layerOf(
  { plugin, settings }: LoadedPlugin,
  service: string,
  { isBase, repo, patience }: LayerOptions
): Promise<StorageLayer | undefined> {
  const maker = plugin.provides.find(({ token }) => tokenName(token) === service)?.maker
  const kept: Kept | undefined = await within(patience, plugin.name, `'keeps' of service '${service}'`, () =>
    maker?.keeps?.(settings, repo)
  )
  const { layout, takesOver = [] } = kept ?? { layout: isBase && STORES.has(service) ? { type: plugin.name } : undefined }
  if (layout === undefined) return undefined
  if (!Array.isArray(takesOver) || ![layout, ...takesOver].every(isLayout)) throw hostErrors.E_SERVICE_LAYOUT(plugin.name, service)
  return { plugin: plugin.name, layout, takesOver }
}

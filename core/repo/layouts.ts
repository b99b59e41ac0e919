import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode, messageOf } from '../errors.ts'
import type { Json, StorageLayer, StorageLayers, StorageLayout } from '../services/storage/repo.ts'
import { repoErrors } from './errors.ts'
import { repoFiles } from './layout.ts'

/** A layer as the repo remembers it. */
type NotedLayer = Pick<StorageLayer, 'plugin' | 'layout'>

/** The layers that a repo's content is stored through, as it remembers them: layers by service, the outermost first. */
export type NotedLayers = Readonly<Record<string, readonly NotedLayer[]>>

/** The layers that the repo in a folder remembers; undefined where it remembers nothing, as those of earlier versions do. @throws E_LAYOUTS_FILE */
export async function readLayouts(folder: string): Promise<NotedLayers | undefined> {
  const file = join(folder, repoFiles.layouts)
  let noted: unknown
  try {
    noted = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined
    throw repoErrors.E_LAYOUTS_FILE(file, messageOf(error))
  }
  if (!isObject(noted)) throw repoErrors.E_LAYOUTS_FILE(file, 'an object of services was expected')
  const strange = Object.entries(noted).find(([, layers]) => !areNotedLayers(layers))
  if (strange !== undefined) throw repoErrors.E_LAYOUTS_FILE(file, `the entry of '${strange[0]}' is no list of plugins and layouts`)
  return noted as NotedLayers
}

/** Whether a service's entry has the form of {@link NotedLayers}: what is noted at all has a layer. */
function areNotedLayers(layers: unknown): boolean {
  return (
    Array.isArray(layers) &&
    layers.length > 0 &&
    layers.every(one => isObject(one) && typeof one['plugin'] === 'string' && isObject(one['layout']))
  )
}

/** Whether a value is a JSON object, and so can be noted and found again. */
export function isLayout(value: unknown): value is StorageLayout {
  try {
    return isObject(value) && JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Refuses layers that would not see what lies in a repo's folder. Of a repo that earlier versions made, only `datastore_spec` is known, which is
 * that of one of its stores.
 *
 * @throws E_STORAGE_LAYOUT, E_REPO_STORAGE, E_LAYOUTS_FILE
 */
export async function refuseOtherLayers(folder: string, layers: StorageLayers): Promise<void> {
  const noted = await readLayouts(folder)
  if (noted === undefined) return refuseOtherSpec(folder, layers)
  for (const [service, before] of Object.entries(noted)) {
    const now = layers.get(service)
    if (now === undefined || areSeen(before, now)) continue
    throw repoErrors.E_STORAGE_LAYOUT({ service, folder, ...comparison(service, before, now) })
  }
}

/** The text of `datastore_spec` for a datastore of these layers. */
export function specOf(layers: readonly StorageLayer[]): string | undefined {
  const base = layers.at(-1)
  return base && JSON.stringify(base.layout)
}

/** Every string in the layouts, the names of files and folders that they have in the repo's folder among them. */
export function namesIn(layers: StorageLayers): string[] {
  const within = (value: Json): string[] => {
    if (typeof value === 'string') return [value]
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(within) : []
  }
  return [...layers.values()].flat().flatMap(({ layout }) => within(layout))
}

/** Whether what was stored through the one is seen through the other. */
function areSeen(before: readonly NotedLayer[], now: readonly StorageLayer[]): boolean {
  return before.length === now.length && now.every((layer, i) => sees(layer, before[i]!.layout))
}

function sees({ layout, takesOver }: StorageLayer, stored: StorageLayout): boolean {
  return [layout, ...takesOver].some(one => canonical(one) === canonical(stored))
}

async function refuseOtherSpec(folder: string, layers: StorageLayers): Promise<void> {
  const text = await readFile(join(folder, repoFiles.storage), 'utf8').catch(error => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined
    throw error
  })
  const stores = ['datastore', 'blockstore'].flatMap(service => (layers.has(service) ? [layers.get(service)!] : []))
  if (text === undefined || stores.length === 0) return
  const disk = text.trim()
  if (stores.some(store => store.length > 0 && sees(store.at(-1)!, parsed(disk)))) return
  throw repoErrors.E_REPO_STORAGE(disk, stores.map(specOf).find(Boolean) ?? 'none', folder)
}

function parsed(text: string): StorageLayout {
  try {
    return JSON.parse(text) as StorageLayout
  } catch {
    return { type: text }
  }
}

/** The same text for the same value, in whatever order its members stand. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_, one: Json) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one
  )
}

function comparison(service: string, before: readonly NotedLayer[], now: readonly StorageLayer[]) {
  const names = before.map(({ plugin }) => plugin)
  const isSame = names.join() === now.map(({ plugin }) => plugin).join()
  const chain = JSON.stringify(names.length === 1 ? names[0] : names)
  return {
    written: inWords(before),
    now: inWords(now),
    differences: isSame ? now.flatMap((layer, i) => differences(layer, before[i]!)).join('') : '',
    remedy: isSame ? 'Give the plugin its former settings' : `Name who wrote it: "services": { "${service}": ${chain} }`
  }
}

const inWords = (layers: readonly NotedLayer[]) =>
  layers.length === 0 ? 'what keeps nothing' : layers.map(({ plugin }) => `'${plugin}'`).join(' over ')

function differences({ plugin, layout }: StorageLayer, before: NotedLayer): string[] {
  const keys = [...new Set([...Object.keys(before.layout), ...Object.keys(layout)])]
  const shown = (value: Json | undefined) => (value === undefined ? 'none' : canonical(value))
  return keys
    .filter(key => shown(before.layout[key]) !== shown(layout[key]))
    .map(key => `; the ${key} of '${plugin}' was ${shown(before.layout[key])} and is ${shown(layout[key])}`)
}

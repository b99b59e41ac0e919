import { type AnyProvision, type Need, type Plugin, tokenName, tokenOf } from '../../../core/index.ts'
import type { LoadedPlugin } from '../load/load.ts'
import type { HostServices } from './providers.ts'

/** The plugins with the services that can be there: those that are `onlyWith` others which nobody provides are left out. */
export function withWhatCanBe(loaded: readonly LoadedPlugin[], hostServices: HostServices): LoadedPlugin[] {
  let remaining = [...loaded]
  while (true) {
    const there = new Set([
      ...hostServices.keys(),
      ...remaining.flatMap(({ plugin }) => plugin.provides.map(({ token }) => tokenName(token)))
    ])
    const isThere = ({ maker }: AnyProvision) => (maker?.onlyWith ?? []).every(token => there.has(tokenName(token)))
    const next = remaining.map(one => ({ ...one, plugin: withOnly(one.plugin, isThere) }))
    if (next.every(({ plugin }, i) => plugin === remaining[i]!.plugin)) return remaining
    remaining = next
  }
}

function withOnly(plugin: Plugin, isThere: (provision: AnyProvision) => boolean): Plugin {
  const all = [...plugin.provides, ...plugin.internal]
  const kept = all.filter(isThere)
  if (kept.length === all.length) return plugin
  const needsOf = (provisions: readonly AnyProvision[]) =>
    new Set(provisions.flatMap(({ maker }) => Object.values<Need>(maker?.needs ?? {})).map(tokenOf))
  const [still, before] = [needsOf(kept), needsOf(all)]
  return {
    ...plugin,
    provides: plugin.provides.filter(isThere),
    internal: plugin.internal.filter(isThere),
    // what only those needed that are left out is needed no more
    requires: plugin.requires.filter(need => still.has(tokenOf(need)) || !before.has(tokenOf(need)))
  }
}

import { type AnyProvision, isOptional, type Need, type Plugin, Repo, tokenName, tokenOf } from '../../../core/index.ts'
import { innerName } from '../../../core/token.ts'
import { hostErrors } from '../../errors.ts'
import type { LoadedPlugin } from '../load/load.ts'
import { madeBy, type Providers } from './providers.ts'
import { STORES } from './stores.ts'

/** The graph that the order of start depends on: who provides, who needs. Names stand for plugins and services alike. */
interface DependencyNode {
  readonly name: string
  readonly provides: readonly string[]
  readonly requires: readonly string[]
  readonly optional: readonly string[]
}

interface Order {
  readonly sorted: readonly string[]
  /** A chain of plugin names whose last is its first, where there is a circle. */
  readonly cycle?: readonly string[]
}

/**
 * Providers before users; among equals, the given order. `winner` says which plugin's provider of a service counts. An optional need
 * orders too, where somebody provides it.
 */
export function orderByNeeds(nodes: readonly DependencyNode[], winner: ReadonlyMap<string, string>): Order {
  const byName = new Map(nodes.map(node => [node.name, node]))
  const sorted: string[] = []
  const state = new Map<string, 'open' | 'done'>()
  const chain: string[] = []

  function visit(name: string): readonly string[] | undefined {
    if (state.get(name) === 'done') return undefined
    if (state.get(name) === 'open') return [...chain.slice(chain.indexOf(name)), name]
    const node = byName.get(name)
    if (node === undefined) return undefined
    state.set(name, 'open')
    chain.push(name)
    for (const needed of [...node.requires, ...node.optional]) {
      const provider = winner.get(needed)
      if (provider === undefined || provider === name) continue
      const cycle = visit(provider)
      if (cycle !== undefined) return cycle
    }
    chain.pop()
    state.set(name, 'done')
    sorted.push(name)
    return undefined
  }

  for (const { name } of nodes) {
    const cycle = visit(name)
    if (cycle !== undefined) return { sorted, cycle }
  }
  return { sorted }
}

/** The plugins in the order of their start. @throws E_SERVICE_CYCLE */
export function orderPlugins(loaded: readonly LoadedPlugin[], providers: Providers): LoadedPlugin[] {
  const winner = new Map<string, string>()
  for (const [service, chain] of providers) {
    for (const [i, name] of chain.entries()) winner.set(i === 0 ? service : innerOf(service, chain[i - 1]!), name)
  }
  const nodes = loaded.map(({ plugin }) => {
    const named = (need: Need) => {
      const wrapped = innerName(tokenOf(need))
      return wrapped === undefined ? tokenName(tokenOf(need)) : innerOf(wrapped, plugin.name)
    }
    return {
      name: plugin.name,
      provides: plugin.provides.map(({ token }) => tokenName(token)),
      requires: [...plugin.requires.filter(need => !isOptional(need)), ...replaced(plugin, providers)].map(named),
      // what is kept in the repo is opened when the repo was found to be the one for it
      optional: [...plugin.requires.filter(isOptional).map(named), ...(madeBy(plugin, providers).some(isKept) ? [tokenName(Repo)] : [])]
    }
  })
  const { sorted, cycle } = orderByNeeds(nodes, winner)
  if (cycle !== undefined) throw hostErrors.E_SERVICE_CYCLE(cycle)
  const byName = new Map(loaded.map(one => [one.plugin.name, one]))
  return sorted.map(name => byName.get(name)!)
}

const isKept = ({ token, maker }: AnyProvision) => maker?.keeps !== undefined || STORES.has(tokenName(token))

/** The services that a plugin would make itself, and now needs of somebody else for the rest of what it makes. */
function replaced(plugin: Plugin, providers: Providers): Need[] {
  const made = madeBy(plugin, providers)
  const provided = new Set<symbol>(made.map(({ token }) => token))
  const needs = made.flatMap(({ maker }) => Object.values<Need>(maker?.needs ?? {}))
  return needs.filter(need => !provided.has(tokenOf(need)) && plugin.provides.some(({ token }) => token === tokenOf(need)))
}

/** The services that a plugin wraps, as a node of the order of start. */
const innerOf = (service: string, plugin: string) => `${service} inside of ${plugin}`

/** What the order of start depends on: who provides, who needs. Names stand for plugins and services alike. */
export interface Room {
  readonly name: string
  readonly provides: readonly string[]
  readonly requires: readonly string[]
  readonly optional: readonly string[]
}

export interface Order {
  readonly sorted: readonly string[]
  /** A chain of plugin names whose last is its first, where there is a circle. */
  readonly cycle?: readonly string[]
}

/**
 * Providers before users; among equals, the given order. `winner` says which plugin's provider of a service counts. An optional need
 * orders too, where somebody provides it.
 */
export function orderByNeeds(rooms: readonly Room[], winner: ReadonlyMap<string, string>): Order {
  const byName = new Map(rooms.map(room => [room.name, room]))
  const sorted: string[] = []
  const state = new Map<string, 'open' | 'done'>()
  const chain: string[] = []

  function visit(name: string): readonly string[] | undefined {
    if (state.get(name) === 'done') return undefined
    if (state.get(name) === 'open') return [...chain.slice(chain.indexOf(name)), name]
    const room = byName.get(name)
    if (room === undefined) return undefined
    state.set(name, 'open')
    chain.push(name)
    for (const needed of [...room.requires, ...room.optional]) {
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

  for (const { name } of rooms) {
    const cycle = visit(name)
    if (cycle !== undefined) return { sorted, cycle }
  }
  return { sorted }
}

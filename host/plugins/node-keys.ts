import type { NodeKeyReader, NodeKeys } from '../../core/index.ts'
import type { Plugins } from './load/load.ts'
import type { State } from './states.ts'

/** The keys of the node configuration that the host itself reads. */
export const HOST_NODE_KEYS: NodeKeys = {
  // an entry of API.Authorizations counts from the next request on, but for the first one of a node that began with none
  atStart: ['Addresses.API', 'API.HTTPHeaders', 'API.Authorizations', 'Gateway.RootRedirect']
}

/** The readers of the keys of the node configuration, the host first. */
export function nodeKeyReaders({ loaded, notLoaded }: Plugins, states: ReadonlyMap<string, State>): NodeKeyReader[] {
  const readers = [
    { name: 'host', keys: HOST_NODE_KEYS },
    ...loaded.map(({ plugin: { name, nodeKeys } }) => ({ name, keys: nodeKeys, ...absence(states.get(name)) })),
    ...notLoaded.map(({ name, nodeKeys = {}, state, reason }) => ({ name, keys: nodeKeys, ...absence({ state, reason }) }))
  ]
  return readers.filter(({ keys }) => Object.keys(keys).length > 0)
}

function absence(state: State | undefined): Pick<NodeKeyReader, 'absent'> {
  if (state === undefined || state.state === 'started' || state.state === 'loaded') return {}
  return {
    absent: state.reason === undefined ? `is ${state.state}` : `${state.state === 'off' ? 'is off' : state.state} (${state.reason})`
  }
}

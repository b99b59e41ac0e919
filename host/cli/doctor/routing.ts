import { messageOf } from '../../../core/errors.ts'
import type { Json, NodeConfig } from '../../../core/index.ts'
import { reproviderPlan, routingPlan } from '../../../core/network/index.ts'
import { type Finding, ok, wrong } from './finding.ts'

/** Whom a node with peers would ask, and what it would tell them; nothing for one without. */
export function lookAtRouting(config: NodeConfig, hasPeers: boolean, environment: Readonly<Record<string, string | undefined>>): Finding[] {
  if (!hasPeers) return []
  const get = (key: string) =>
    key.split('.').reduce<Json | undefined>((at, name) => (at as Readonly<Record<string, Json>> | null | undefined)?.[name], config)
  try {
    const { dht, http, custom } = routingPlan(get, environment)
    const { strategy, interval, off } = reproviderPlan(get)
    const asked = [
      ...(dht === undefined ? [] : [`the DHT (${dht})`]),
      ...http,
      ...(custom === undefined ? [] : [`routers ${[...custom.routers.keys()].join(', ')}`])
    ]
    const told = off ? 'nothing is told to others' : interval === 0 ? 'new content is told to others' : `what is told again: ${strategy}`
    return [ok('routing', `${asked.length === 0 ? 'nobody is asked for content or peers' : `asked: ${asked.join(', ')}`}; ${told}`)]
  } catch (error) {
    return [wrong('routing', messageOf(error), 'Mend Routing or Reprovider in the node configuration: holdfast config.')]
  }
}

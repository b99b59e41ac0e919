import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../../core/errors.ts'
import type { Json, NodeConfig } from '../../../core/index.ts'
import { reproviderPlan, routingPlan } from '../../../core/network/index.ts'
import { repoFiles } from '../../../core/repo/layout.ts'
import { type Finding, ok, wrong } from './finding.ts'

/** The routers that a node with peers would ask, and what it would tell them. In a private network no delegated router of the defaults is asked. */
export async function lookAtRouting(
  config: NodeConfig,
  path: string,
  environment: Readonly<Record<string, string | undefined>>
): Promise<Finding[]> {
  const isPrivate = await access(join(path, repoFiles.swarmKey)).then(
    () => true,
    () => false
  )
  const get = (key: string) =>
    key.split('.').reduce<Json | undefined>((at, name) => (at as Readonly<Record<string, Json>> | null | undefined)?.[name], config)
  try {
    const { dht, http, custom } = routingPlan(get, environment)
    const { strategyText, interval, off } = reproviderPlan(get)
    const asked = [
      ...(dht === undefined ? [] : [`the DHT (${dht})`]),
      ...(isPrivate ? [] : http),
      ...(custom === undefined ? [] : [`routers ${[...custom.routers.keys()].join(', ')}`])
    ]
    const told = off
      ? 'nothing is told to others'
      : interval === 0
        ? 'new content is told to others'
        : `what is told again: ${strategyText}`
    return [ok('routing', `${asked.length === 0 ? 'nobody is asked for content or peers' : `asked: ${asked.join(', ')}`}; ${told}`)]
  } catch (error) {
    return [wrong('routing', messageOf(error), 'Mend Routing or Reprovider in the node configuration: holdfast config.')]
  }
}

import { parseJsonExactly } from '../../../core/go/json.ts'
import type { Json, NodeConfig, NodeConfigModel } from '../../../core/index.ts'
import { provideStrategy } from '../../../core/network/index.ts'

/** A configuration as this node has it, and in words what it no longer says as Kubo did. */
export interface Translated {
  readonly config: NodeConfig
  readonly changes: readonly string[]
}

type Members = { [key: string]: Json }

const AUTO = 'auto'

/**
 * A configuration of Kubo up to 0.42 in the words of 0.28, which this node reads. `auto` stands there for what Kubo fetches from a
 * server of its makers; the values that 0.28 has built in take its place. Keys that 0.28 does not know stay as they are.
 */
export function translated(kubo: NodeConfig, { bootstrapPeers }: Pick<NodeConfigModel, 'bootstrapPeers'>): Translated {
  const config = parseJsonExactly(JSON.stringify(kubo)) as Members
  const changes: string[] = []
  const bootstrap = config['Bootstrap']
  if (Array.isArray(bootstrap) && bootstrap.includes(AUTO)) {
    config['Bootstrap'] = [...new Set(bootstrap.flatMap(peer => (peer === AUTO ? bootstrapPeers : [peer])))]
    changes.push("Bootstrap: the peers of Kubo 0.28 in place of 'auto'")
  }
  const resolvers = members(members(config, 'DNS'), 'Resolvers')
  for (const [domain, url] of Object.entries(resolvers ?? {})) {
    if (url !== AUTO) continue
    delete resolvers![domain]
    changes.push(`DNS.Resolvers: the usual one for '${domain}' in place of 'auto'`)
  }
  for (const [section, key] of [
    ['Routing', 'DelegatedRouters'],
    ['Ipns', 'DelegatedPublishers']
  ] as const) {
    const within = members(config, section)
    const list = within?.[key]
    if (!Array.isArray(list) || !list.includes(AUTO)) continue
    const others = list.filter(one => one !== AUTO)
    if (others.length > 0) within![key] = others
    else delete within![key]
    changes.push(`${section}.${key}: 'auto' is gone, as there is no such list here`)
  }
  changes.push(...translateProviding(config))
  const threshold = members(config, 'Import')?.['UnixFSHAMTDirectorySizeThreshold']
  if (typeof threshold === 'string') {
    config['Internal'] = { ...members(config, 'Internal'), UnixFSShardingSizeThreshold: threshold }
    changes.push('Internal.UnixFSShardingSizeThreshold: as Import.UnixFSHAMTDirectorySizeThreshold says')
  }
  return { config, changes }
}

/** From Kubo 0.39 on, `Provide` says what `Reprovider` did. */
function translateProviding(config: Members): string[] {
  const provide = members(config, 'Provide')
  if (provide === undefined) return []
  const changes: string[] = []
  const reprovider: Members = { ...members(config, 'Reprovider') }
  const interval = provide['Enabled'] === false ? '0' : members(provide, 'DHT')?.['Interval']
  const strategy = provide['Strategy']
  if (typeof interval === 'string') {
    reprovider['Interval'] = interval
    changes.push(`Reprovider.Interval: '${interval}', as Provide says`)
  }
  if (typeof strategy === 'string' && strategy !== '') {
    const isKnown = isStrategy(strategy)
    if (isKnown) reprovider['Strategy'] = strategy
    // a node does not start with one that it does not know
    else delete provide['Strategy']
    changes.push(isKnown ? `Reprovider.Strategy: '${strategy}', as Provide says` : `Provide.Strategy: there is no '${strategy}' here`)
  }
  if (changes.length > 0) config['Reprovider'] = reprovider
  return changes
}

function isStrategy(text: string): boolean {
  try {
    provideStrategy('Provide.Strategy', text)
    return true
  } catch {
    return false
  }
}

function members(of: Members | undefined, key: string): Members | undefined {
  const value = of?.[key]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined
}

import type { Json, NodeConfig } from '../../core/index.ts'

/** The part of the node configuration that says who may call. */
export function entriesOf(config: NodeConfig): { readonly [name: string]: Json } {
  const api = objectOf(config['API'])
  return objectOf(api['Authorizations'])
}

/** The configuration with other entries. */
export function withEntries(config: NodeConfig, entries: { readonly [name: string]: Json }): NodeConfig {
  return { ...config, API: { ...objectOf(config['API']), Authorizations: entries } }
}

export function objectOf(value: Json | undefined): { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as { readonly [key: string]: Json }) : {}
}

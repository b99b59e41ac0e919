import { defineErrors } from '../../core/index.ts'

/** Texts: Kubo 0.28, core/commands/routing.go, dht.go, stat_dht.go, core/coreapi/routing.go. */
export const routingPluginErrors = defineErrors({
  E_FIND_SELF: { message: () => 'finding your own node in the DHT is currently not supported' },
  E_PROVIDER_COUNT: { message: () => 'number of providers must be greater than 0' },
  E_PROVIDE_ALONE: { message: () => 'cannot provide, no connected peers' },
  E_PROVIDE_MISSING: { message: (cid: string) => `block ${cid} not found locally, cannot provide` },
  E_ROUTING_KEY: { message: () => 'invalid key' },
  E_ROUTING_NOT_FOUND: { message: () => 'routing: not found' },
  E_VALUE_UNKNOWN: { message: () => 'datastore: key not found' },
  E_PUT_OFFLINE: { message: () => "can't put while offline: pass `--allow-offline` to override" },
  E_ROUTING_INPUT: { wire: 'client', message: (most: number) => `more than ${most} bytes are no record` },
  E_NO_DHT: { message: () => 'routing service is not a DHT' },
  E_DHT_PEER: { wire: 'client', message: () => 'invalid peer ID' },
  E_DHT_TYPE: { wire: 'client', message: (name: string) => `unknown dht type: ${name}` },
  E_DHT_MESSAGE: { message: (why: string) => `malformed DHT message: ${why}` },
  E_DHT_REQUEST: { message: (why: string) => `a request of the DHT that is not answered: ${why}` },
  E_DHT_FULL: {
    message: (what: string, most: number, setting: string) => `${what}: ${most} are the most that this node keeps for others (${setting})`
  },
  E_HTTP_ROUTER: { message: (endpoint: string, why: string) => `the delegated router ${endpoint}: ${why}` }
})

import { defineErrors } from '../errors.ts'

/** Errors of a record of a distributed hash table, and of looking for one. */
export const routingErrors = defineErrors({
  E_ROUTING_RECORD: { message: (why: string) => `invalid record: ${why}` },
  E_ROUTING_RECORD_OLDER: { message: () => "can't replace a newer value with an older value" },
  E_ROUTING_TYPE: { message: (type: string) => `Routing.Type: unrecognized routing option: ${type}` },
  E_ROUTING_SUPERNODE: { message: () => 'Routing.Type: supernode routing was never fully implemented and has been removed' },
  E_ROUTING_CUSTOM: { message: (what: string, why: string) => `invalid routing configuration: ${what}: ${why}` },
  E_REPROVIDE_OFF: {
    message: (key: string) => `invalid configuration: ${key} is set to '${key === 'Provide.Enabled' ? 'false' : 'true'}'`
  },
  E_REPROVIDE_NEVER: { message: () => "invalid configuration: Provide.DHT.Interval is set to '0'" },
  /** Text: Kubo 0.42, core/commands/routing.go. */
  E_REPROVIDE_SWEPT: {
    message: () =>
      "manual reprovide is not available with the sweep provider; set Provide.DHT.SweepEnabled=false to use the legacy provider, or run 'ipfs provide stat --all' to monitor the sweep schedule"
  },
  E_REPROVIDER_STRATEGY: { message: (key: string, strategy: string) => `${key}: unknown reprovider strategy "${strategy}"` },
  E_PROVIDE_STRATEGY: { message: (key: string, strategy: string, why: string) => `${key}: "${strategy}": ${why}` },
  E_PROVIDE_COUNT: { message: (key: string, value: string) => `${key}: ${value} is less than 1` },
  E_REPROVIDER_INTERVAL: { message: (key: string, value: string, why: string) => `${key}: '${value}': ${why}` }
})

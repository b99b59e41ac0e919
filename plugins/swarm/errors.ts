import { defineErrors } from '../../core/index.ts'

/** Texts: Kubo 0.28, core/commands/swarm.go, ping.go, stat.go; go-libp2p 0.33. */
export const swarmErrors = defineErrors({
  E_SWARM_NO_PEER: { message: (address: string) => `found no ipfs peers at ${address}` },
  E_SWARM_NOT_CONNECTED: { message: () => 'not connected' },
  E_SWARM_NO_CONNECTION: { message: () => 'conn not found' },
  E_SWARM_NO_LIMITS: { message: () => 'missing ResourceMgr: make sure the daemon is running with Swarm.ResourceMgr.Enabled' },
  E_PING_ADDRESS: { message: (address: string, why: string) => `failed to parse peer address '${address}': ${why}` },
  E_PING_SELF: { message: () => "error: can't ping self" },
  E_PING_COUNT: { message: (count: number) => `ping count must be greater than 0, was ${count}` },
  E_PING_LOOKUP: { message: (why: string) => `peer lookup failed: ${why}` },
  E_PING_FAILED: { message: () => 'ping failed' },
  E_BANDWIDTH_BOTH: { wire: 'client', message: () => 'please only specify peer OR protocol' },
  E_BANDWIDTH_OFF: { message: () => 'bandwidth reporter disabled in config' },
  E_BANDWIDTH_OFFLINE: {
    wire: 'client',
    message: () => "this command must be run in online mode. Try running 'ipfs daemon' first"
  }
})

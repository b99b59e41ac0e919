import { type Setup, TRANSPORTS, type Transport } from './peer.ts'

/** Listens for this transport alone: who has met a node before takes the transport that it likes best. */
export const over = (transport: Transport, config: Setup['config'] = {}): Setup => ({
  config: { ...config, 'Addresses.Swarm': [TRANSPORTS[transport]] }
})

import { defineErrors } from '../errors.ts'

/** Errors that keep a node from talking to a peer. Texts: go-libp2p 0.33, p2p/net/swarm; go-libp2p-kad-dht 0.25. */
export const networkErrors = defineErrors({
  E_DIAL: { message: (why: string) => `failed to dial: ${why}` },
  E_DIAL_SELF: { message: () => 'failed to dial: dial to self attempted' },
  E_PEER_NOT_FOUND: { message: () => 'routing: not found' },
  E_NO_PEERS_TO_ASK: { message: () => 'failed to find any peer in table' },
  E_PROTOCOL: { message: (peer: string, protocols: readonly string[]) => `${peer} speaks none of ${protocols.join(', ')}` },
  E_PROTOCOL_SERVED: { message: (protocol: string) => `the protocol ${protocol} is served by another part of this node` },
  E_STREAM: { message: (peer: string, protocol: string, why: string) => `the stream of ${protocol} with ${peer}: ${why}` },
  E_NETWORK_STOPPED: { message: () => 'the network of this node does not run: it has not started yet, or has stopped' },
  E_NETWORK_LIMIT: {
    message: (what: string, peer: string, most: number) =>
      `cannot reserve ${what} for ${peer}: ${most} are the most that this node holds (Swarm.ResourceMgr)`
  }
})

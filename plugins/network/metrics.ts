import type { BandwidthMeter, Metrics, Network, Sample } from '../../core/index.ts'

/** Measures connections and octets, read when somebody asks. */
export function measure(metrics: Metrics, network: () => Network | undefined, bandwidth: BandwidthMeter): void {
  metrics.observed(
    { name: 'ipfs_p2p_peers_total', help: 'Connected peers by transport.', labels: ['transport'], whole: true, type: 'gauge' },
    () => byTransport(network()?.connections() ?? [])
  )
  metrics.observed({ name: 'stream_bytes_total', help: 'Octets over streams with peers.', labels: ['direction'], type: 'counter' }, () => {
    const { in: received, out: sent } = bandwidth.total()
    return [
      { value: Number(received), labels: { direction: 'in' } },
      { value: Number(sent), labels: { direction: 'out' } }
    ]
  })
}

/** Connections by the protocols of their addresses: `/ip4/tcp`. */
function byTransport(connections: ReadonlyArray<{ readonly address: string }>): Sample[] {
  const counts = new Map<string, number>()
  for (const { address } of connections) {
    const transport = [...address.matchAll(/\/(ip4|ip6|dns|dns4|dns6|tcp|udp|ws|wss|tls|p2p-circuit)(?=\/|$)/g)]
      .map(([, name]) => `/${name}`)
      .join('')
    counts.set(transport, (counts.get(transport) ?? 0) + 1)
  }
  return [...counts].map(([transport, value]) => ({ value, labels: { transport } }))
}

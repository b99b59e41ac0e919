import type { NodeKeys } from '../../../core/index.ts'

/** The keys of the node configuration that the network reads. */
export const nodeKeys: NodeKeys = {
  atOnce: ['Bootstrap'],
  atStart: [
    'Addresses.Swarm',
    'Addresses.Announce',
    'Addresses.AppendAnnounce',
    'Addresses.NoAnnounce',
    'Discovery.MDNS.Enabled',
    'Routing.Type',
    'Swarm.AddrFilters',
    'Swarm.DisableBandwidthMetrics',
    'Swarm.DisableNatPortMap',
    'Swarm.RelayClient',
    'Swarm.RelayService.Enabled',
    'Swarm.RelayService.ConnectionDurationLimit',
    'Swarm.RelayService.ConnectionDataLimit',
    'Swarm.RelayService.ReservationTTL',
    'Swarm.RelayService.MaxReservations',
    'Swarm.EnableHolePunching',
    'Swarm.Transports.Network.TCP',
    'Swarm.Transports.Network.Websocket',
    'Swarm.Transports.Network.QUIC',
    'Swarm.Transports.Network.Relay',
    'Swarm.Transports.Security',
    'Swarm.ConnMgr',
    'Swarm.ResourceMgr.Enabled',
    'Swarm.ResourceMgr.MaxMemory',
    'Swarm.ResourceMgr.MaxFileDescriptors',
    'Swarm.ResourceMgr.Allowlist',
    'AutoNAT.ServiceMode',
    'AutoNAT.Throttle.PeerLimit',
    'Peering.Peers',
    'Internal.Libp2pForceReachability',
    'Internal.BackupBootstrapInterval'
  ]
}

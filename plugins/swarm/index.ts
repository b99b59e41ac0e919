/**
 * Peers from the outside: who is connected, by which addresses, and how to connect, keep out, stay with and ping them.
 *
 * @packageDocumentation
 */
import { plugin } from '../../core/index.ts'
import { addrsAutonat } from './commands/addrs/autonat.ts'
import { addrsListen } from './commands/addrs/listen.ts'
import { addrsLocal } from './commands/addrs/local.ts'
import { addrs } from './commands/addrs.ts'
import { connect } from './commands/connect.ts'
import { disconnect } from './commands/disconnect.ts'
import { filtersAdd } from './commands/filters/add.ts'
import { filtersRm } from './commands/filters/rm.ts'
import { filters } from './commands/filters.ts'
import { peeringAdd } from './commands/peering/add.ts'
import { peeringLs } from './commands/peering/ls.ts'
import { peeringRm } from './commands/peering/rm.ts'
import { peers } from './commands/peers.ts'
import { ping } from './commands/ping.ts'
import { reachability } from './commands/reachability.ts'
import { resources } from './commands/resources.ts'
import { statsBw } from './commands/stats/bw.ts'
import { swarmErrors } from './errors.ts'

export default plugin({
  name: 'swarm',
  api: '^1',
  about: 'Peers: who is connected and by which addresses; connecting, filtering, staying with and pinging them.',
  commands: [
    addrs,
    addrsAutonat,
    addrsListen,
    addrsLocal,
    connect,
    disconnect,
    filters,
    filtersAdd,
    filtersRm,
    peeringAdd,
    peeringLs,
    peeringRm,
    peers,
    ping,
    reachability,
    resources,
    statsBw
  ],
  errors: swarmErrors
})

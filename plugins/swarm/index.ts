/**
 * Peers from the outside: who is connected, by which addresses, and how to connect, keep out, stay with and ping them.
 *
 * @packageDocumentation
 */
import { plugin } from '../../core/index.ts'
import { connect } from './commands/connect.ts'
import { disconnect } from './commands/disconnect.ts'
import { peers } from './commands/peers.ts'
import { swarmErrors } from './errors.ts'

export default plugin({
  name: 'swarm',
  api: '^1',
  about: 'Peers: who is connected and by which addresses; connecting, filtering, staying with and pinging them.',
  commands: [connect, disconnect, peers],
  errors: swarmErrors
})

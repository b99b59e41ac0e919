import { parseInteger } from '../../../../core/go/index.ts'
import { command, nothing, p } from '../../../../core/index.ts'
import { p2pErrors } from '../../errors.ts'
import { ofP2p, switchedOn } from '../../switched-on.ts'

export const streamClose = command.admin('p2p/stream/close', {
  ...ofP2p,
  help: 'Tear a connection that goes to or from a service of a peer. One that is not there is no error.',
  examples: [{ title: 'Tear all of them', args: 'p2p stream close --all' }],
  args: { id: p.string('Its ID, as p2p/stream/ls shows it.').optional() },
  options: { all: p.bool('All of them.').alias('a') },
  reply: nothing(),
  run(services, { args, options }) {
    const p2p = switchedOn(services)
    if (options.all) return p2p.closeStream(undefined)
    if (args.id === undefined) throw p2pErrors.E_P2P_NO_STREAM()
    p2p.closeStream(Number(parseInteger(args.id, 64, false, 10)))
  }
})

import { routingErrors } from '../../../core/errors/index.ts'
import { command, Host, nothing, optional, Provider } from '../../../core/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'

export const reprovide = command.admin('routing/reprovide', {
  status: 'newer',
  help: 'Tell others now which blocks this node has, as it does by itself from time to time.',
  examples: [{ title: 'Tell all of it', args: 'routing reprovide' }],
  needs: { provider: optional(Provider), host: Host },
  reply: nothing(),
  async run({ provider, host }, { signal }) {
    const way = onlineForCommand(provider)
    if (way.off !== undefined) throw routingErrors.E_REPROVIDE_OFF(way.off)
    if (way.interval === 0) throw routingErrors.E_REPROVIDE_NEVER()
    if (way.sweep !== undefined && host.level !== '0.28') throw routingErrors.E_REPROVIDE_SWEPT()
    await way.reprovide({ signal })
  }
})

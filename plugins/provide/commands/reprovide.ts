import { routingErrors } from '../../../core/errors/index.ts'
import { command, nothing, optional, Provider } from '../../../core/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'

export const reprovide = command.admin('routing/reprovide', {
  status: 'newer',
  help: 'Tell others now which blocks this node has, as it does by itself from time to time.',
  examples: [{ title: 'Tell all of it', args: 'routing reprovide' }],
  needs: { provider: optional(Provider) },
  reply: nothing(),
  async run({ provider }, { signal }) {
    const way = onlineForCommand(provider)
    if (way.off !== undefined) throw routingErrors.E_REPROVIDE_OFF(way.off)
    if (way.interval === 0) throw routingErrors.E_REPROVIDE_NEVER()
    await way.reprovide({ signal })
  }
})

import { routingErrors } from '../../../core/errors/index.ts'
import { Bitswap, command, Host, nothing, optional, Repo } from '../../../core/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'
import { bitswapErrors } from '../errors.ts'
import { Reprovider } from '../tokens.ts'

export const reprovide = command.admin('bitswap/reprovide', {
  help: 'Tell others now which blocks this node has, as it does by itself from time to time.',
  examples: [{ title: 'Tell all of it', args: 'bitswap reprovide' }],
  needs: { bitswap: optional(Bitswap), reprovider: optional(Reprovider), repo: Repo, host: Host },
  reply: nothing(),
  async run({ bitswap, reprovider, repo, host }, { signal }) {
    onlineForCommand(bitswap)
    // what is provided is then decided elsewhere (Kubo 0.28, core/node/provider.go)
    if (repo.get<boolean | null>('Experimental.StrategicProviding') === true) return
    if (reprovider === undefined) throw bitswapErrors.E_REPROVIDE_NO_ROUTING()
    if (host.level !== '0.28') {
      if (reprovider.off !== undefined) throw routingErrors.E_REPROVIDE_OFF(reprovider.off)
      if (reprovider.interval === 0) throw routingErrors.E_REPROVIDE_NEVER()
      if (reprovider.sweep !== undefined) throw routingErrors.E_REPROVIDE_SWEPT()
    }
    await reprovider.reprovide({ signal })
  }
})

import { z } from 'zod'
import { command, p, value } from '../../../../core/index.ts'
import { TokenUses } from '../../parts.ts'
import { PinningServiceToken } from '../../service.ts'
import { ServiceTokensToken } from '../../tokens/tokens.ts'

export const tokenRm = command.admin('pin/service/token/rm', {
  help: 'Take a token of a client away. What was asked for with it stays, for a new token of that name, unless --requests is given.',
  needs: { tokens: ServiceTokensToken, uses: TokenUses, service: PinningServiceToken },
  args: { name: p.name('Its name.') },
  options: { requests: p.bool('End all its requests as well.').default(false) },
  reply: value(z.object({ Name: z.string(), Requests: z.int() })),
  text: ({ Name, Requests }) => `removed ${Name}${Requests === 0 ? '' : `, and what it asked for: ${Requests}`}\n`,
  async run({ tokens, uses, service }, { args: { name }, options, signal }) {
    await tokens.remove(name)
    await uses.forget(name)
    return { Name: name, Requests: options.requests ? await service.removeAll(name, signal) : 0 }
  }
})

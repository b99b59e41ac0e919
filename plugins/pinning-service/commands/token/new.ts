import { z } from 'zod'
import { command, p, value } from '../../../../core/index.ts'
import { pinningServiceErrors } from '../../errors.ts'
import { TokenUses } from '../../parts.ts'
import { ServiceTokensToken } from '../../tokens/tokens.ts'

export const tokenNew = command.admin('pin/service/token/new', {
  help: 'Make a token for a client of this pinning service. It is shown once; the node keeps its hash.',
  examples: [{ title: 'Let somebody pin here, for a month', args: 'pin service token new --expires=720h alice' }],
  needs: { tokens: ServiceTokensToken, uses: TokenUses },
  args: { name: p.name('A name for it, under which its requests stand.') },
  options: { expires: p.duration('How long it is good for, e.g. 720h. Default: until it is removed.') },
  reply: value(z.object({ Name: z.string(), Token: z.string(), Expires: z.string().optional() })),
  text: ({ Token }) => `${Token}\n`,
  escapes: ['Token'],
  async run({ tokens, uses }, { args: { name }, options: { expires } }) {
    if (expires !== undefined && expires <= 0n) throw pinningServiceErrors.E_PINNING_TOKEN_EXPIRES()
    const { secret, kept } = await tokens.make(name, expires === undefined ? undefined : Date.now() + Number(expires / 1_000_000n))
    await uses.forget(name)
    return { Name: name, Token: secret, ...(kept.expires !== undefined && { Expires: kept.expires }) }
  }
})

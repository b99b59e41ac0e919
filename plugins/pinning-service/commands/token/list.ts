import { z } from 'zod'
import { tokenUse, tokenUseOf, tokenUseText } from '../../../../core/callers/index.ts'
import { command, value } from '../../../../core/index.ts'
import { TokenUses } from '../../parts.ts'
import { ServiceTokensToken } from '../../tokens/tokens.ts'

const listed = z.object({ Name: z.string(), Created: z.string(), ...tokenUse })

export const tokenList = command.admin('pin/service/token/list', {
  help: 'List the tokens of the clients of this pinning service, and when each was last used. No secret is shown.',
  examples: [{ title: 'Who may pin here?', args: 'pin service token list' }],
  needs: { tokens: ServiceTokensToken, uses: TokenUses },
  reply: value(z.object({ Tokens: z.array(listed) })),
  text: ({ Tokens }) => Tokens.map(token => `${token.Name}${tokenUseText(token)}\n`).join(''),
  async run({ tokens, uses }) {
    const Tokens: Array<z.output<typeof listed>> = []
    for (const { name, created, expires } of tokens.list()) {
      Tokens.push({ Name: name, Created: created, ...tokenUseOf(expires, await uses.last(name)) })
    }
    return { Tokens }
  }
})

import { z } from 'zod'
import { command, value } from '../../../../core/index.ts'
import { TokenUses } from '../../parts.ts'
import { ServiceTokensToken } from '../../tokens/tokens.ts'

const listed = z.object({
  Name: z.string(),
  Created: z.string(),
  Expires: z.string().optional(),
  Expired: z.boolean(),
  LastUsed: z.string().optional()
})

export const tokenList = command.admin('pin/service/token/list', {
  help: 'List the tokens of the clients of this pinning service, and when each was last used. No secret is shown.',
  examples: [{ title: 'Who may pin here?', args: 'pin service token list' }],
  needs: { tokens: ServiceTokensToken, uses: TokenUses },
  reply: value(z.object({ Tokens: z.array(listed) })),
  text: ({ Tokens }) => Tokens.map(line).join(''),
  async run({ tokens, uses }) {
    const Tokens: Array<z.output<typeof listed>> = []
    for (const { name, created, expires } of tokens.list()) {
      const used = await uses.last(name)
      Tokens.push({
        Name: name,
        Created: created,
        ...(expires !== undefined && { Expires: expires }),
        Expired: expires !== undefined && Date.parse(expires) <= Date.now(),
        ...(used !== undefined && { LastUsed: new Date(used).toISOString() })
      })
    }
    return { Tokens }
  }
})

function line({ Name, Expires, Expired, LastUsed }: z.output<typeof listed>): string {
  const until = Expires === undefined ? '' : `, ${Expired ? 'expired' : 'expires'} ${Expires}`
  return `${Name}${until}, ${LastUsed === undefined ? 'never used' : `last used ${LastUsed}`}\n`
}

import { z } from 'zod'
import { tokenUse, tokenUseOf, tokenUseText } from '../../../core/callers/index.ts'
import { command, type Json, Repo, value } from '../../../core/index.ts'
import { entriesOf, objectOf } from '../entries.ts'
import { Uses } from '../uses.ts'

const listed = z.object({
  Name: z.string(),
  Kind: z.string(),
  Access: z.string(),
  Commands: z.array(z.string()).optional(),
  Paths: z.array(z.string()).optional(),
  Created: z.string().optional(),
  ...tokenUse
})

export const list = command.admin('token/list', {
  help: 'List the tokens and secrets that callers of the RPC have, and when each was last used. No secret is shown.',
  examples: [{ title: 'Who may call this node?', args: 'token list' }],
  needs: { repo: Repo, uses: Uses },
  reply: value(z.object({ Tokens: z.array(listed) })),
  text: ({ Tokens }) => Tokens.map(line).join(''),
  onlyReads: () => true,
  async run({ repo, uses }) {
    const Tokens: Array<z.output<typeof listed>> = []
    for (const [name, entry] of Object.entries(entriesOf(repo.config()))) {
      const { SecretHash, Access, Commands, AllowedPaths, Created, Expires } = objectOf(entry)
      Tokens.push({
        Name: name,
        Kind: typeof SecretHash === 'string' ? 'token' : 'secret',
        Access: typeof Access === 'string' ? Access : 'admin',
        ...texts('Commands', Commands),
        ...texts('Paths', AllowedPaths),
        ...(typeof Created === 'string' && { Created }),
        ...tokenUseOf(typeof Expires === 'string' ? Expires : undefined, await uses.last(name))
      })
    }
    return { Tokens }
  }
})

function texts<K extends string>(key: K, value: Json | undefined): { readonly [N in K]?: string[] } {
  return Array.isArray(value) ? ({ [key]: value.map(String) } as { readonly [N in K]: string[] }) : {}
}

function line({ Name, Access, Commands, ...use }: z.output<typeof listed>): string {
  const of = Commands === undefined ? '' : ` of ${Commands.join(', ')}`
  return `${Name}: ${Access}${of}${tokenUseText(use)}\n`
}

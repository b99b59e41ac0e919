import { z } from 'zod'
import { hashOfSecret, newSecret } from '../../../core/callers/index.ts'
import { command, p, Repo, value } from '../../../core/index.ts'
import { entriesOf, withEntries } from '../entries.ts'
import { tokenErrors } from '../errors.ts'
import { TokenSettings } from '../settings.ts'
import { Uses } from '../uses.ts'

const ACCESSES = ['read', 'write', 'admin']

const made = z.object({
  Name: z.string(),
  Token: z.string(),
  Access: z.string(),
  Commands: z.array(z.string()).optional(),
  Expires: z.string().optional(),
  InEffect: z.boolean()
})

export const newToken = command.admin('token/new', {
  help: 'Make a token for a caller of the RPC. It is shown once; the node keeps its hash. The first one counts from the next start on: then each caller needs one.',
  examples: [{ title: 'Let a program pin, for a month', args: "token new --access=write --command='pin/**' --expires=720h pinner" }],
  needs: { repo: Repo, uses: Uses, settings: TokenSettings },
  args: { name: p.name('A name for it, for logs and lists.') },
  options: {
    access: p
      .string('The most that it may do: read, write or admin.')
      .alias('a')
      .default('read')
      .oneOf(...ACCESSES),
    command: p.string('Patterns of the commands that it may call, e.g. pin/**. Default: all.').many(),
    expires: p.duration('How long it is good for, e.g. 720h. Default: until it is removed.')
  },
  reply: value(made),
  // alone, so that a script can take it
  text: ({ Token }) => `${Token}\n`,
  escapes: ['Token'],
  async run({ repo, uses, settings }, { args: { name }, options }) {
    const { access, command: commands, expires } = options
    if (name === '' || name.length > 128) throw tokenErrors.E_TOKEN_NAME()
    if (!ACCESSES.includes(access)) throw tokenErrors.E_TOKEN_ACCESS(access)
    if (expires !== undefined && expires <= 0n) throw tokenErrors.E_TOKEN_EXPIRES()
    const secret = newSecret()
    const end = expires === undefined ? undefined : new Date(Date.now() + Number(expires / 1_000_000n)).toISOString()
    const said = { ...(commands.length > 0 && { Commands: [...commands] }), ...(end !== undefined && { Expires: end }) }
    const entry = { SecretHash: hashOfSecret(secret), Access: access, Created: new Date().toISOString(), ...said }
    let isFirst = false
    await repo.updateConfig(config => {
      const entries = entriesOf(config)
      if (Object.hasOwn(entries, name)) throw tokenErrors.E_TOKEN_EXISTS(name)
      const count = Object.keys(entries).length
      if (count >= settings.maxTokens) throw tokenErrors.E_TOKENS_MOST(settings.maxTokens)
      isFirst = count === 0
      return withEntries(config, { ...entries, [name]: entry })
    })
    // one of that name that was removed by hand may have left a trace
    await uses.forget(name)
    return { Name: name, Token: secret, Access: access, ...said, InEffect: !isFirst }
  }
})

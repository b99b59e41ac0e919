import { z } from 'zod'
import { command, p, Repo, value } from '../../../core/index.ts'
import { entriesOf, withEntries } from '../entries.ts'
import { tokenErrors } from '../errors.ts'
import { Uses } from '../uses.ts'

export const rm = command.admin('token/rm', {
  help: 'Take a token or secret away. It lets nobody in from the next request on.',
  needs: { repo: Repo, uses: Uses },
  args: { name: p.name('Its name.') },
  reply: value(z.object({ Name: z.string() })),
  text: ({ Name }) => `removed ${Name}\n`,
  async run({ repo, uses }, { args: { name } }) {
    await repo.updateConfig(config => {
      const { [name]: gone, ...others } = entriesOf(config)
      if (gone === undefined) throw tokenErrors.E_TOKEN_ABSENT(name)
      return withEntries(config, others)
    })
    await uses.forget(name)
    return { Name: name }
  }
})

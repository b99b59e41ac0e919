import { z } from 'zod'
import { command, p, Repo, value } from '../../../core/index.ts'

export const version = command.read('repo/version', {
  help: "Show the version of the repo's layout.",
  examples: [{ title: 'Show the number alone', args: 'repo version --quiet' }],
  needs: { repo: Repo },
  options: { quiet: p.bool('Print nothing but the version.').alias('q').default(false) },
  reply: value(z.object({ Version: z.string() })),
  xml: 'RepoVersion',
  text: ({ Version }, { options }) => `${options.quiet ? '' : 'ipfs repo version '}fs-repo@${Version}\n`,
  run: ({ repo }) => ({ Version: String(repo.version) })
})

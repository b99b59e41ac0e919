import { z } from 'zod'
import { command, Host, p, value } from '../../../core/index.ts'
import { versionOf } from '../version-info.ts'

const reply = z.object({
  Version: z.string().describe('The level of the RPC.'),
  Commit: z.string().describe('The program and its own version.'),
  Repo: z.string().describe("The version of the repo's layout."),
  System: z.string(),
  Golang: z.string().describe('The engine.')
})

export const version = command.read('version', {
  control: true,
  help: 'Show the level of the RPC that this node speaks, and what the node is.',
  examples: [{ title: 'Show the number alone', args: 'version -n' }],
  needs: { host: Host },
  options: {
    number: p.bool('Only the number.').alias('n'),
    commit: p.bool('Also the program and its version.'),
    repo: p.bool('Only the version of the repo.'),
    all: p.bool('Everything.')
  },
  reply: value(reply),
  xml: 'VersionInfo',
  text({ Version, Commit, Repo, System, Golang }, { options }) {
    if (options.all)
      return `Kubo version: ${Version}-${Commit}\nRepo version: ${Repo}\nSystem version: ${System}\nGolang version: ${Golang}\n`
    if (options.repo) return `${Repo}\n`
    const number = options.commit ? `${Version}-${Commit}` : Version
    return options.number ? `${number}\n` : `ipfs version ${number}\n`
  },
  run: ({ host }) => versionOf(host)
})

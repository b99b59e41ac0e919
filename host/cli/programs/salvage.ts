import { p } from '../../../core/contract/params.ts'
import { program } from './program.ts'

export const repoSalvage = program({
  path: 'repo/salvage',
  help: 'Make a new database of all that can be read of a damaged one, and name what is missing. The old one stays beside it. Where no node runs.',
  options: { json: p.bool('As JSON, a value for each line.') },
  examples: [{ title: 'Mend the repo of a node that does not start any more', args: 'repo salvage' }],
  async run({ options, terminal, commands }) {
    const { salvage } = await import('../node/salvage.ts')
    const tell = (line: string) => terminal.stdout.write(options.json ? `${JSON.stringify({ Message: line })}\n` : `${line}\n`)
    return (await salvage({ globals: options, commands, terminal }, tell)) ? 0 : 1
  }
})

import { p } from '../../../core/contract/params.ts'
import { program } from './program.ts'

export const repoSalvage = program({
  path: 'repo/salvage',
  help: 'Make a new database of all that can be read of a damaged one, and name what is missing. The old one stays beside it. Where no node runs.',
  options: {
    json: p.bool('As JSON, a value for each line.'),
    complete: p.bool('Only say that all pins that a salvage may have lost are there again, so that garbage is collected.')
  },
  examples: [
    { title: 'Mend the repo of a node that does not start any more', args: 'repo salvage' },
    { title: 'Have garbage collected again, once all is pinned that a salvage may have lost', args: 'repo salvage --complete' }
  ],
  async run({ options, terminal, commands }) {
    const { salvage, takePinsAsComplete } = await import('../node/salvage.ts')
    if (options.complete) {
      await takePinsAsComplete({ globals: options, commands })
      return 0
    }
    const tell = (line: string) => terminal.stdout.write(options.json ? `${JSON.stringify({ Message: line })}\n` : `${line}\n`)
    return (await salvage({ globals: options, commands, terminal }, tell)) ? 0 : 1
  }
})

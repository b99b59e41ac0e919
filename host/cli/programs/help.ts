import { p } from '../../../core/contract/params.ts'
import { program } from './program.ts'

export const help = program({
  path: 'help',
  help: 'Show the help of a command, a group, or all there is.',
  args: { command: p.string('The words of the command.').many().optional() },
  examples: [{ title: 'What can be done with pins', args: 'help pin' }],
  async run({ args, terminal, commands }) {
    const [{ parseLine }, { helpFor }] = await Promise.all([import('../line/parse.ts'), import('../line/help.ts')])
    terminal.stdout.write(await helpFor(await parseLine(args.command, commands), commands))
    return 0
  }
})

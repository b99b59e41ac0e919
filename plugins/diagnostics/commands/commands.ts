import { command, Host, p, value } from '../../../core/index.ts'
import { commandNode, linesOf, treeOf } from '../tree.ts'

export const commands = command.read('commands', {
  help: 'List all commands of this node.',
  examples: [{ title: 'List the commands with their options', args: 'commands --flags' }],
  needs: { host: Host },
  options: { flags: p.bool('Also their options.').alias('f') },
  reply: value(commandNode),
  xml: 'Command',
  text: (root, { options }) => `${linesOf(root, { flags: options.flags === true }).join('\n')}\n`,
  run: ({ host }) => treeOf(host.commands())
})

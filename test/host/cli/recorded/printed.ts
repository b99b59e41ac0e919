import type { Command } from '../../../../core/index.ts'
import { catalogue } from '../../../../plugins/catalogue.ts'

/** Commands that print on a terminal what they answer for `encoding=text`: those that declare nothing else for terminals. */
export async function printedCommands(): Promise<Map<string, Command>> {
  const plugins = await Promise.all(catalogue.map(async entry => (await entry.load()).default))
  const commands = plugins.flatMap(plugin => plugin.commands)
  const same = commands.filter(
    ({ text, terminal, reply, saves }) => terminal === undefined && saves === undefined && (text !== undefined || reply.kind === 'bytes')
  )
  return new Map(same.map(command => [command.path, command]))
}

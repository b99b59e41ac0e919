import { callErrors } from '../../core/binding/errors.ts'
import { blockErrors, commonErrors, globalOptions, type Plugin } from '../../core/index.ts'
import { optionsTable } from './command-section.ts'
import { errorTable } from './group-page.ts'
import { blocks, GENERATED, table } from './markdown.ts'

/** The list of all commands, and what they have in common. */
export function indexPage(plugins: readonly Plugin[]): string {
  const commands = plugins
    .flatMap(plugin => plugin.commands.map(command => ({ command, plugin })))
    .sort((a, b) => (a.command.path < b.command.path ? -1 : 1))
  return blocks(
    GENERATED,
    '# Commands',
    'Every command of the plugins that ship, by name. On the wire each is `POST /api/v0/<path>`; a node lists its own at `/openapi.json`.',
    table(
      ['Command', 'Plugin', 'Status', ''],
      commands.map(({ command: { path, status, help }, plugin: { name } }) => [
        `[${path.replaceAll('/', ' ')}](${name}.md#${path.replaceAll('/', '-')})`,
        `[${name}](${name}.md)`,
        status,
        help
      ])
    ),
    '## Global options',
    'Every command takes these.',
    optionsTable(globalOptions),
    errorTable({ ...callErrors, ...commonErrors, ...blockErrors }, 'What any command may answer.'),
    '## Examples',
    'The examples on these pages are run by a test, on a node that has been given the folder `test/host/reference/files/site`.'
  )
}

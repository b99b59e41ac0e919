import { environment } from '../../config/host/environment.ts'
import { MOST_BYTES, PLACES } from '../../config/host/load.ts'
import { hostSchema } from '../../config/host/schema.ts'
import type { Plugin } from '../../core/index.ts'
import { blocks, code, GENERATED, table } from './markdown.ts'
import { settingsTable } from './settings-table.ts'

/** Everything that can be set before a node starts. */
export function configurationPage(plugins: readonly Plugin[]): string {
  return blocks(
    GENERATED,
    '# Configuration',
    "What a node is made of stands in the host configuration. The state of the node (identity, addresses, headers) is another file, `config` in the repo, in Kubo's shape.",
    'The host configuration is one file, the first of:',
    [
      '1. the one that `--config` names;',
      '2. the one that `HOLDFAST_CONFIG` names;',
      '3. the one in the working directory, where that is a [trusted folder](security.md#folders): where `holdfast init`, `holdfast daemon` or `holdfast trust` was run;',
      "4. the user's own, in `~/.config/holdfast` (`$XDG_CONFIG_HOME/holdfast`)."
    ].join('\n'),
    `In a folder the first of these counts that is not empty: ${PLACES.map(code).join(', ')} (its key \`holdfast\`). It may have ${MOST_BYTES} bytes. A key that is not known, or a value that does not fit, keeps the node from starting and is named with its file; so is a file that [others decide over](security.md#files-that-others-decide-over).`,
    '## Host configuration',
    settingsTable(hostSchema),
    '## Plugins',
    'The settings of a plugin are its block under `plugins`; a block means on: `plugins: { dag: { maxInput: 1048576 } }`.',
    ...plugins
      .filter(({ settings }) => settings !== undefined)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, about, settings }) => blocks(`### ${name}`, about, settingsTable(settings!, `plugins.${name}.`))),
    '## Environment',
    table(
      ['Variable', ''],
      Object.entries(environment).map(([name, help]) => [code(name), help])
    )
  )
}

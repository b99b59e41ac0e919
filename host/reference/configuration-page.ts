import { environment } from '../../config/host/environment.ts'
import { MOST_BYTES, PLACES } from '../../config/host/load.ts'
import { hostSchema } from '../../config/host/schema.ts'
import { nodeConfigModel } from '../../config/node/index.ts'
import { type Json, type NodeKey, nodeKeyEffect, type Plugin } from '../../core/index.ts'
import { HOST_NODE_KEYS } from '../plugins/node-keys.ts'
import { blocks, code, GENERATED, table } from './markdown.ts'
import { settingsTable } from './settings-table.ts'

/** Everything that can be set before a node starts. */
export function configurationPage(plugins: readonly Plugin[]): string {
  return blocks(
    GENERATED,
    '# Configuration',
    "What a node is made of stands in the host configuration. The state of the node (identity, addresses, headers) is another file, `config` in the repo, in Kubo's shape; it may be a symlink, which stays one.",
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
    '## Node configuration',
    'The keys of the file `config` in the repo, in the shape of Kubo 0.28, and when a change of each counts where all of its plugins are on: at once for what begins after it, at start from the next start of the node on, or never. `holdfast config show --explain` tells the same of a node as it is, with the plugins that are off. A block whose members have names of your choice is one key here.',
    nodeKeysTable(plugins),
    '## Environment',
    table(
      ['Variable', ''],
      Object.entries(environment).map(([name, help]) => [code(name), help])
    )
  )
}

function nodeKeysTable(plugins: readonly Plugin[]): string {
  const readers = [{ name: 'host', keys: HOST_NODE_KEYS }, ...plugins.map(({ name, nodeKeys }) => ({ name, keys: nodeKeys }))]
  const row = (known: NodeKey) => {
    const { effect, by, why } = nodeKeyEffect(known, readers)
    return [code(known.key), known.allowed, defaultText(known.effective), effect, why ?? by.join(', ')]
  }
  return table(['Key', 'Allowed', 'Default', 'Counts', 'Read by, or why not'], nodeConfigModel.keys().map(row))
}

const defaultText = (value: Json | undefined): string => (value === undefined ? '' : code(JSON.stringify(value)))

import type { NodeError, Plugin } from '../../core/index.ts'
import { commandSection } from './command-section.ts'
import { blocks, code, GENERATED, table } from './markdown.ts'
import { settingsTable } from './settings-table.ts'

/** The page of one plugin's commands. */
export function groupPage(plugin: Plugin, { offByDefault = false } = {}): string {
  const { name, about, status, settings, commands, errors } = plugin
  const sorted = [...commands].sort((a, b) => (a.path < b.path ? -1 : 1))
  const switches = [`\`plugins: { ${name}: ${offByDefault ? 'on' : 'off'} }\``]
  if (status !== 'regular') switches.push(`\`plugins: { ${status}: ${offByDefault ? 'on' : 'off'} }\``)
  return blocks(
    GENERATED,
    `# ${name}`,
    about,
    `Status: ${status}. The plugin \`${name}\` is ${offByDefault ? 'off unless switched on' : 'on unless switched off'}: ${switches.join(' or ')}. A command that is off answers 404 with the setting that did it.`,
    `Every command also takes the [global options](index.md#global-options).`,
    table(
      ['Command', ''],
      sorted.map(({ path, help }) => [`[${path.replaceAll('/', ' ')}](#${path.replaceAll('/', '-')})`, help])
    ),
    ...sorted.map(command => commandSection(command, plugin)),
    settings === undefined
      ? ''
      : blocks('## Settings', `The block \`plugins.${name}\` of the host configuration.`, settingsTable(settings)),
    errorTable(errors, 'Its own. Every command may also answer those of the [index](index.md#errors).')
  )
}

/** A list of errors; `…` stands for what varies in a message. */
export function errorTable(errors: Plugin['errors'], about: string): string {
  const rows = Object.entries(errors).map(([name, make]) => {
    const error = sample(make as Make)
    return [
      code(name),
      error === undefined ? '' : String(error.status),
      error === undefined ? '' : code(error.message.trim().replaceAll('`', "'"))
    ]
  })
  return rows.length === 0
    ? ''
    : blocks('## Errors', `${about} The status is that of an answer that has not begun.`, table(['Code', 'Status', 'Message'], rows))
}

type Make = (...about: unknown[]) => NodeError

/** An error as its factory makes it of placeholders, whichever kind it takes. */
function sample(make: Make): NodeError | undefined {
  for (const placeholder of ['…', ['…']]) {
    try {
      return make(...Array.from({ length: 8 }, () => placeholder))
    } catch {
      // it takes something else
    }
  }
  return undefined
}

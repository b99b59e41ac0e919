import { catalogue } from '../../plugins/catalogue.ts'
import { clientFiles } from './client-types.ts'
import { configurationPage } from './configuration-page.ts'
import { groupPage } from './group-page.ts'
import { indexPage } from './index-page.ts'

/** Every generated file of this project by its path from the root. */
export async function referenceFiles(): Promise<Map<string, string>> {
  const entries = await Promise.all(catalogue.map(async entry => ({ entry, plugin: (await entry.load()).default })))
  const plugins = entries.map(({ plugin }) => plugin)
  const files = new Map([
    ['docs/commands/index.md', indexPage(plugins)],
    ['docs/configuration.md', configurationPage(plugins)],
    ...clientFiles(plugins)
  ])
  for (const { entry, plugin } of entries) {
    if (plugin.commands.length > 0) files.set(`docs/commands/${plugin.name}.md`, groupPage(plugin, { offByDefault: entry.offByDefault }))
  }
  return files
}

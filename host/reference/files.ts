import { readdir, readFile } from 'node:fs/promises'
import { atLevel, DEFAULT_LEVEL, type Plugin } from '../../core/index.ts'
import { catalogueSource } from './catalogue.ts'
import { clientFiles } from './client-types.ts'
import { configurationPage } from './configuration-page.ts'
import { exportsPage } from './exports-page.ts'
import { groupPage } from './group-page.ts'
import { indexPage } from './index-page.ts'
import { serviceTexts } from './service-types.ts'
import { servicesPage } from './services-page.ts'

/** The built plugins, each beside `catalogue.js` in a folder of its own. */
const PLUGINS = new URL('../../plugins/', import.meta.url)
const ROOT = new URL('../../../', import.meta.url)

/** Every generated file of this project by its path from the root. */
export async function referenceFiles(): Promise<Map<string, string>> {
  const folders = (await readdir(PLUGINS, { withFileTypes: true })).filter(entry => entry.isDirectory()).map(({ name }) => name)
  const builtIns = await Promise.all(
    folders.sort().map(async folder => {
      const { default: plugin } = (await import(new URL(`${folder}/index.js`, PLUGINS).href)) as { default: Plugin }
      return { folder, plugin: { ...plugin, commands: plugin.commands.map(command => atLevel(command, DEFAULT_LEVEL)) } }
    })
  )
  const plugins = builtIns.map(({ plugin }) => plugin)
  const files = new Map([
    ['docs/commands/index.md', indexPage(plugins)],
    ['docs/configuration.md', configurationPage(plugins)],
    ['docs/exports.md', await exportsPage(ROOT)],
    ['docs/services.md', servicesPage(plugins, await serviceTexts(ROOT))],
    ['plugins/catalogue.ts', catalogueSource(await readFile(new URL('plugins/catalogue.ts', ROOT), 'utf8'), builtIns)],
    ...clientFiles(plugins)
  ])
  for (const plugin of plugins) {
    if (plugin.commands.length > 0) files.set(`docs/commands/${plugin.name}.md`, groupPage(plugin, { offByDefault: plugin.offByDefault }))
  }
  return files
}

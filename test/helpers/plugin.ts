import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Plugin, type PluginDeclaration, plugin } from '../../core/index.ts'

/**
 * A module of this build as a plugin's file in a folder of the test's own. A plugin is loaded only from files that nobody else decides over,
 * and a checkout may belong to anybody.
 */
export async function pluginIn(folder: string, module: URL): Promise<string> {
  const file = join(folder, basename(module.pathname))
  await writeFile(file, `/* api: '^1' */ export { default } from ${JSON.stringify(module.href)}\n`)
  return file
}

export const named = (name: string, declaration: Partial<PluginDeclaration> = {}): Plugin =>
  plugin({ name, api: '^1', about: name, ...declaration })

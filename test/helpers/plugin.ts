import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { bytes, command, files, type Plugin, type PluginDeclaration, plugin } from '../../core/index.ts'

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

/** A command that sends back the bytes of all parts of an upload. */
export const echoing = (path: string) =>
  command.read(path, {
    help: 'What was sent.',
    body: files('data', 'What to send back.'),
    reply: bytes(),
    async *run(_, { body }) {
      for await (const part of body) yield* part.bytes()
    }
  })

import type { Command } from '../../../core/index.ts'
import { openApiDocument } from '../../../host/openapi/document.ts'
import type { OpenApiDocument, ParameterObject } from '../../../host/openapi/types.ts'
import { declaredCommands, declaredPlugins } from '../../helpers/declared.ts'

/** The document of all commands that are declared anywhere. */
export async function documentOfAll(): Promise<{ document: OpenApiDocument; commands: Command[] }> {
  const plugins = await declaredPlugins()
  const commands = await declaredCommands()
  const states = plugins.map(({ name, about, status, commands: ofPlugin }) => ({
    name,
    about,
    status,
    commands: ofPlugin.map(({ path }) => path)
  }))
  const switchedOff = [{ path: 'off', reason: 'commands.off is off' }]
  return { document: openApiDocument({ commands, plugins: states, switchedOff, version: '1.2.3', level: '0.28' }), commands }
}

/** The parameters of an operation, references followed. */
export function parametersOf(document: OpenApiDocument, path: string): ParameterObject[] {
  const { parameters } = document.paths[`/api/v0/${path}`]!.post
  return parameters.map(parameter =>
    '$ref' in parameter ? document.components.parameters[(parameter.$ref as string).split('/').at(-1)!]! : (parameter as ParameterObject)
  )
}

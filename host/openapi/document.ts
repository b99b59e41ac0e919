import { type Command, type PluginState, type RpcLevel, type SwitchedOff } from '../../core/index.ts'
import { requestBody } from './bodies.ts'
import { globalParameters, queryParameters } from './parameters.ts'
import { answer, otherResponses, shared } from './responses.ts'
import type { JsonSchema, OpenApiDocument, OperationObject } from './types.ts'

export interface Described {
  readonly commands: readonly Command[]
  readonly plugins: readonly Pick<PluginState, 'name' | 'about' | 'status' | 'commands'>[]
  readonly switchedOff: readonly SwitchedOff[]
  /** holdfast's own version. */
  readonly version: string
  readonly level: RpcLevel
}

/** The OpenAPI 3.1 document of the commands that a listener serves, each as its declaration has it. */
export function openApiDocument({ commands, plugins, switchedOff, version, level }: Described): OpenApiDocument {
  const owners = new Map(plugins.flatMap(({ name, commands: paths }) => paths.map(path => [path, name] as const)))
  const schemas: Record<string, JsonSchema> = { Error: shared.error }
  const paths: Record<string, { post: OperationObject }> = {}
  const served = commands.filter(({ local }) => !local).sort((a, b) => (a.path < b.path ? -1 : 1))
  for (const command of served) {
    const { response, schemas: ofAnswer } = answer(command)
    Object.assign(schemas, ofAnswer)
    paths[`/api/v0/${command.path}`] = { post: operation(command, owners.get(command.path), response) }
  }
  const { headers, responses, securitySchemes } = shared
  return {
    openapi: '3.1.0',
    info: {
      title: 'holdfast RPC',
      version,
      description: `The RPC of Kubo ${level} as this node serves it. Every command is a POST; arguments are values of \`arg\`, options other members of the query.`
    },
    servers: [{ url: '/' }],
    security: [{}, { bearer: [] }, { basic: [] }],
    tags: plugins
      .filter(plugin => plugin.commands.some(path => Object.hasOwn(paths, `/api/v0/${path}`)))
      .map(({ name, about, status }) => ({ name, description: about, 'x-status': status })),
    paths,
    components: { schemas, parameters: globalParameters(), headers, responses, securitySchemes },
    'x-switched-off': switchedOff
  }
}

function operation(command: Command, plugin: string | undefined, response: OperationObject['responses'][string]): OperationObject {
  const { path, help, status, access, reply, examples } = command
  const body = requestBody(command)
  return {
    operationId: path.replaceAll('/', '.'),
    tags: plugin === undefined ? [] : [plugin],
    summary: help,
    ...(status === 'deprecated' || status === 'removed' ? { deprecated: true } : {}),
    parameters: queryParameters(command),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { 200: response, ...otherResponses },
    'x-status': status,
    'x-access': access,
    'x-reply': reply.kind,
    ...(examples.length === 0 ? {} : { 'x-examples': examples })
  }
}

/**
 * The commands of the node as tools of the Model Context Protocol, for programs that let a language model use them: over standard input and
 * output by `holdfast mcp`, and over HTTP on a listener of its own.
 *
 * @packageDocumentation
 */
import { listener, plugin, route, service } from '../../core/index.ts'
import { mcp } from './commands/mcp.ts'
import { mcpErrors } from './errors.ts'
import { Sessions, SessionsToken, sessionsNeeds } from './http/sessions.ts'
import { McpSettings, mcpSettings } from './settings.ts'
import { ToolCalls, ToolCallsToken, toolCallsNeeds } from './tool-calls.ts'
import { Toolbox, ToolboxToken, toolboxNeeds } from './tools/toolbox.ts'

export default plugin({
  name: 'mcp',
  api: '^1',
  status: 'experimental',
  about: 'Commands as tools of the Model Context Protocol, over standard input and output and over HTTP.',
  offByDefault: true,
  settings: mcpSettings,
  internal: [
    service(ToolboxToken, { needs: toolboxNeeds, make: parts => new Toolbox(parts) }),
    service(ToolCallsToken, { needs: toolCallsNeeds, make: parts => new ToolCalls(parts) }),
    service(SessionsToken, { needs: sessionsNeeds, make: parts => new Sessions(parts) })
  ],
  commands: [mcp],
  listeners: [listener({ name: 'mcp', help: 'The Model Context Protocol over HTTP.', needs: { at: McpSettings }, at: ({ at }) => at })],
  routes: [
    route({
      listener: 'mcp',
      method: '*',
      path: '/mcp',
      help: 'One message of the protocol a request, answered as JSON or as a stream of events.',
      access: 'read',
      needs: { sessions: SessionsToken },
      handle: ({ sessions }, request, response, { caller }) => sessions.handle(request, response, caller)
    })
  ],
  errors: mcpErrors
})

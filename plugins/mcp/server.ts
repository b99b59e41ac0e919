import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest
} from '@modelcontextprotocol/sdk/types.js'
import { type Caller, messageOf, type NodeError } from '../../core/index.ts'
import { RESOURCE_TEMPLATE } from './answer/resource-uri.ts'
import { callerIn } from './caller.ts'
import type { ServerParts } from './server-parts.ts'
import type { CallContext } from './tool-calls.ts'

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** The node as one client sees it: its commands as tools, its files as resources. */
export function serverFor({ host, toolbox, toolCalls }: ServerParts): Server {
  const server = new Server(
    { name: 'holdfast', version: host.version },
    {
      capabilities: { tools: {}, resources: {} },
      instructions:
        'The commands of an IPFS node. Content is named by its CID, or by a path such as /ipfs/CID/name; what was stored is read with cat, ls and dag_get.'
    }
  )
  const context = (extra: Extra): CallContext => ({
    caller: callerOf(server, extra),
    signal: extra.signal,
    report: reportOf(extra)
  })
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    answered(ErrorCode.InvalidParams, async () => toolbox.list(params?.cursor))
  )
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
    answered(ErrorCode.InvalidParams, () => toolCalls.call(params, context(extra)))
  )
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [] }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: RESOURCE_TEMPLATE, name: 'content', description: 'The content of a file, or of a part of it.' }]
  }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, extra) =>
    answered(ErrorCode.InternalError, () => toolCalls.read(params.uri, context(extra)))
  )
  return server
}

function callerOf(server: Server, { requestInfo, authInfo }: Extra): Caller {
  const client = server.getClientVersion()
  return {
    transport: 'mcp',
    ...callerIn(authInfo),
    userAgent: client && `${client.name}/${client.version}`,
    headers: requestInfo?.headers
  }
}

function reportOf({ _meta, sendNotification }: Extra): CallContext['report'] {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return undefined
  return report => {
    // a client that is gone is not told
    sendNotification({ method: 'notifications/progress', params: { progressToken, ...report } }).catch(() => {})
  }
}

/** The same work, its errors as the protocol has them: a number, and the error's own code beside it. */
async function answered<T>(otherwise: ErrorCode, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code, wire } = error as Partial<NodeError>
    if (typeof code !== 'string') throw error
    throw Object.assign(new Error(messageOf(error)), { code: wire === 'client' ? ErrorCode.InvalidParams : otherwise, data: { code } })
  }
}

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { messageOf, type Startable, type Token, token } from '../../../core/index.ts'
import { mcpErrors } from '../errors.ts'
import { mostOfMessage } from '../message-size.ts'
import { type ServerParts, serverNeeds } from '../server-parts.ts'
import { McpSettings } from '../settings.ts'
import { bodyText, refuse } from './exchange.ts'
import type { Session } from './session.ts'

/** The sessions over HTTP: begun by `initialize`, found by `Mcp-Session-Id`, ended by DELETE, by their rest, or with the node. */
export class Sessions implements Startable {
  readonly #parts: ServerParts
  readonly #limits: McpSettings['limits']
  readonly #sessions = new Map<string, Session>()
  /** How many of them there are, and are about to be. */
  #taken = 0

  constructor({ settings, ...parts }: ServerParts & { settings: McpSettings }) {
    this.#parts = parts
    this.#limits = settings.limits
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, headers } = request
    if (method !== 'POST' && method !== 'DELETE')
      return refuse(response, 405, new Error('405 - Method Not Allowed'), { Allow: 'POST, DELETE' })
    const id = headers['mcp-session-id']
    const session = id === undefined ? undefined : this.#sessions.get(String(id))
    if (id !== undefined && session === undefined) return refuse(response, 404, mcpErrors.E_MCP_SESSION_NONE())
    if (method === 'DELETE')
      return session === undefined ? refuse(response, 400, mcpErrors.E_MCP_SESSION_FIRST()) : session.handle(request, response)
    let message: unknown
    try {
      message = JSON.parse(await bodyText(request, mostOfMessage(this.#limits)))
    } catch (error) {
      if (error instanceof SyntaxError) return refuse(response, 400, mcpErrors.E_MCP_MESSAGE(messageOf(error)))
      return refuse(response, 413, error as Error, { Connection: 'close' })
    }
    if (Array.isArray(message)) return refuse(response, 400, mcpErrors.E_MCP_MESSAGE('it is a batch; send one message a request'))
    if (session !== undefined) return session.handle(request, response, message)
    await this.#begin(request, response, message)
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(session => session.end()))
  }

  async #begin(request: IncomingMessage, response: ServerResponse, message: unknown): Promise<void> {
    const { sessions: most, sessionIdleMs } = this.#limits
    const { isInitializeRequest, Session } = await import('./session.ts')
    if (!isInitializeRequest(message)) return refuse(response, 400, mcpErrors.E_MCP_SESSION_FIRST())
    if (this.#taken >= most) return refuse(response, 503, mcpErrors.E_MCP_SESSIONS(most), { 'Retry-After': '1' })
    this.#taken++
    const id = randomUUID()
    const parts = { ...this.#parts, address: request.socket.remoteAddress }
    const session = await Session.begin(id, parts, sessionIdleMs, () => {
      this.#taken--
      this.#sessions.delete(id)
    })
    this.#sessions.set(id, session)
    await session.handle(request, response, message)
    if (response.statusCode >= 400) await session.end()
  }
}

export const SessionsToken: Token<Sessions> = token<Sessions>('mcp-sessions')

/** What sessions are made of. */
export const sessionsNeeds = { ...serverNeeds, settings: McpSettings } as const

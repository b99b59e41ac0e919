import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type HeldInput, HeldInputs } from '../../../core/body/index.ts'
import { type Caller, messageOf, type NodeError, type Startable, type Token, token } from '../../../core/index.ts'
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
  readonly #inputs: HeldInputs
  /** How many of them there are, and are about to be. */
  #taken = 0

  constructor({ settings, ...parts }: ServerParts & { settings: McpSettings }) {
    this.#parts = parts
    this.#limits = settings.limits
    this.#inputs = new HeldInputs(settings.limits.maxInputs, 'plugins.mcp.limits.maxInputs')
  }

  /** Answers a request, with an error in the words of the protocol where it belongs to no session. */
  async handle(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void> {
    const held = this.#inputs.begin()
    try {
      await this.#handle(request, response, caller, held)
    } catch (error) {
      // whoever left in the middle of a request is not answered
      if (request.destroyed && !request.complete) return
      if (typeof (error as Partial<NodeError>).code !== 'string') throw error
      refuse(response, error as NodeError)
    } finally {
      held.release()
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(session => session.end()))
  }

  async #handle(request: IncomingMessage, response: ServerResponse, caller: Caller, held: HeldInput): Promise<void> {
    const { method, headers } = request
    if (method !== 'POST' && method !== 'DELETE') throw mcpErrors.E_MCP_METHOD(String(method))
    const id = headers['mcp-session-id']
    const session = id === undefined ? undefined : this.#find(String(id), caller)
    if (id !== undefined && session === undefined) throw mcpErrors.E_MCP_SESSION_NONE()
    if (method === 'DELETE') {
      if (session === undefined) throw mcpErrors.E_MCP_SESSION_FIRST()
      return session.handle(request, response, caller)
    }
    const { maxInputs } = this.#limits
    const hold = (bytes: number) => {
      try {
        held.add(bytes)
      } catch {
        throw mcpErrors.E_MCP_INPUTS_HELD(maxInputs)
      }
    }
    const message = parsed(await bodyText(request, mostOfMessage(this.#limits), hold))
    if (session !== undefined) return session.handle(request, response, caller, message)
    const begun = await this.#begin(caller, message)
    await begun.handle(request, response, caller, message)
    if (response.statusCode >= 400) await begun.end()
  }

  /** A session is for whoever has the secret that it was begun with. */
  #find(id: string, caller: Caller): Session | undefined {
    const session = this.#sessions.get(id)
    return session?.isOf(caller) ? session : undefined
  }

  /** @throws E_MCP_SESSION_FIRST, E_MCP_SESSIONS */
  async #begin(caller: Caller, message: unknown): Promise<Session> {
    const { sessions: most, sessionIdleMs } = this.#limits
    const { isInitializeRequest, Session: Made } = await import('./session.ts')
    if (!isInitializeRequest(message)) throw mcpErrors.E_MCP_SESSION_FIRST()
    if (this.#taken >= most) throw mcpErrors.E_MCP_SESSIONS(most)
    this.#taken++
    const id = randomUUID()
    const session = await Made.begin(id, this.#parts, caller, sessionIdleMs, () => {
      this.#taken--
      this.#sessions.delete(id)
    })
    this.#sessions.set(id, session)
    return session
  }
}

/** @throws E_MCP_MESSAGE */
function parsed(text: string): unknown {
  if (/^\s*\[/.test(text)) throw mcpErrors.E_MCP_MESSAGE('it is a batch; send one message a request')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw mcpErrors.E_MCP_MESSAGE(messageOf(error))
  }
}

export const SessionsToken: Token<Sessions> = token<Sessions>('mcp-sessions')

/** The parts of sessions. */
export const sessionsNeeds = { ...serverNeeds, settings: McpSettings } as const

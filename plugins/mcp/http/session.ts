import type { IncomingMessage, ServerResponse } from 'node:http'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  ErrorCode,
  isInitializeRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId
} from '@modelcontextprotocol/sdk/types.js'
import type { Authorization, Caller } from '../../../core/index.ts'
import { authInfoOf } from '../caller.ts'
import { serverFor } from '../server.ts'
import type { ServerParts } from '../server-parts.ts'
import { asWebRequest, sendWebResponse } from './exchange.ts'

export { isInitializeRequest }

/** One client over HTTP, from its first request until it, or its rest, ends the session. */
export class Session {
  readonly id: string
  /** What let the caller in who began it; undefined where callers need no secret. */
  readonly #authorization: Authorization | undefined
  readonly #transport: WebStandardStreamableHTTPServerTransport
  readonly #idleMs: number
  #open = 0
  #timer: NodeJS.Timeout | undefined

  /** @param onEnd - called once, when it is over */
  static async begin(id: string, parts: ServerParts, { authorization }: Caller, idleMs: number, onEnd: () => void): Promise<Session> {
    const session = new Session(id, authorization, idleMs)
    const server = serverFor(parts)
    const end = () => void session.end()
    server.onclose = () => {
      clearTimeout(session.#timer)
      authorization?.ended.removeEventListener('abort', end)
      onEnd()
    }
    await server.connect(session.#transport)
    authorization?.ended.addEventListener('abort', end)
    return session
  }

  private constructor(id: string, authorization: Authorization | undefined, idleMs: number) {
    this.id = id
    this.#authorization = authorization
    this.#idleMs = idleMs
    this.#transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id })
  }

  /** Whether a caller was let in by what the session was begun with. */
  isOf({ authorization }: Caller): boolean {
    return this.#authorization?.id === authorization?.id
  }

  /**
   * Answers a request of this session.
   *
   * @param caller - with the grant that it has now, which bounds the call
   * @param message - its body; undefined for one without
   */
  async handle(request: IncomingMessage, response: ServerResponse, caller: Caller, message?: unknown): Promise<void> {
    clearTimeout(this.#timer)
    this.#open++
    try {
      const from = await this.#transport.handleRequest(asWebRequest(request), { parsedBody: message, authInfo: authInfoOf(caller) })
      const cancelled = cancelledBy(message)
      if (cancelled !== undefined) await this.#release(cancelled)
      const isTaken = await sendWebResponse(from, response)
      const asked = requestIn(message)
      if (!isTaken && asked !== undefined) await this.#cancel(asked)
    } finally {
      this.#open--
      if (this.#open === 0) this.#timer = setTimeout(() => void this.end(), this.#idleMs).unref()
    }
  }

  end(): Promise<void> {
    return this.#transport.close()
  }

  /** Ends the call of a request whose answer nobody waits for. */
  async #cancel(requestId: RequestId): Promise<void> {
    this.#transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'the client left' } })
    await this.#release(requestId)
  }

  /** A request that was cancelled is never answered: its response ends, and the transport forgets it. */
  async #release(id: RequestId): Promise<void> {
    this.#transport.closeSSEStream(id)
    await this.#transport.send({ jsonrpc: '2.0', id, error: { code: ErrorCode.ConnectionClosed, message: 'cancelled' } }).catch(() => {})
  }
}

function messageIn(body: unknown): JSONRPCMessage | undefined {
  return JSONRPCMessageSchema.safeParse(body).data
}

function requestIn(body: unknown): RequestId | undefined {
  const message = messageIn(body)
  return message !== undefined && 'method' in message && 'id' in message ? message.id : undefined
}

function cancelledBy(body: unknown): RequestId | undefined {
  const message = messageIn(body)
  if (message === undefined || !('method' in message) || message.method !== 'notifications/cancelled') return undefined
  return message.params?.['requestId'] as RequestId | undefined
}

import { PassThrough } from 'node:stream'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ErrorCode, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/sdk/types.js'
import { messageOf } from '../../../core/index.ts'
import { within } from '../../../core/timing.ts'
import { mcpErrors } from '../errors.ts'

/** Messages of the protocol, one a line: those that come in, and those that go out. */
export class Lines implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #most: number
  readonly #received: ReadBuffer
  readonly #sent = new PassThrough()
  /** Requests that came in and have no answer yet. */
  readonly #unanswered = new Set<RequestId>()
  #onIdle: (() => void) | undefined
  #closed = false

  /** @param most - bytes of one message that comes in */
  constructor(most: number) {
    this.#most = most
    this.#received = new ReadBuffer({ maxBufferSize: most })
  }

  async start(): Promise<void> {}

  /** The messages that go out, until it is closed. */
  get output(): AsyncIterable<Uint8Array> {
    return this.#sent
  }

  /**
   * Takes what came in. A line that is no message is answered with an error, as nobody knows which request it was to be.
   *
   * @throws E_MCP_MESSAGE_SIZE
   */
  receive(bytes: Uint8Array): void {
    try {
      this.#received.append(Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length))
    } catch {
      throw mcpErrors.E_MCP_MESSAGE_SIZE(this.#most)
    }
    for (let isMore = true; isMore; ) {
      try {
        const message = this.#received.readMessage()
        isMore = message !== null
        if (message === null) continue
        if ('method' in message && 'id' in message) this.#unanswered.add(message.id)
        if ('method' in message && message.method === 'notifications/cancelled') this.#answered(message.params?.['requestId'] as RequestId)
        this.onmessage?.(message)
      } catch (error) {
        this.#write({ jsonrpc: '2.0', error: { code: ErrorCode.ParseError, message: mcpErrors.E_MCP_MESSAGE(whyOf(error)).message } })
      }
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return
    const isTaken = this.#write(message)
    if (!('method' in message) && message.id !== undefined) this.#answered(message.id)
    if (!isTaken) await new Promise<void>(resolve => this.#sent.once('drain', resolve).once('close', resolve))
  }

  /** Resolves when every request that came in is answered, at the latest after so many milliseconds. */
  async idle(most: number): Promise<void> {
    if (this.#unanswered.size === 0) return
    await within(
      most,
      new Promise<void>(resolve => {
        this.#onIdle = resolve
      })
    )
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#sent.end()
    this.onclose?.()
  }

  #answered(id: RequestId): void {
    this.#unanswered.delete(id)
    if (this.#unanswered.size === 0) this.#onIdle?.()
  }

  #write(message: JSONRPCMessage): boolean {
    return this.#sent.write(serializeMessage(message))
  }
}

/** The first line of what a parser says. */
function whyOf(error: unknown): string {
  return error instanceof SyntaxError ? messageOf(error) : 'it is no request, notification or response of JSON-RPC 2.0'
}

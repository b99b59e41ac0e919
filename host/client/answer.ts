import { errorOf, RpcError, type RpcErrorCode } from './errors.ts'
import { parseJson, parseLines } from './json.ts'
import type { CommandOutline } from './outline.ts'
import type { Incoming } from './transport.ts'
import type { Progress } from './types.ts'

export interface AnswerContext {
  readonly command: string
  /** What the command's declaration says; else the answer's header tells. */
  readonly kind: CommandOutline['reply'] | undefined
  /** What a failure to read means: the caller's signal, the end of its time, or this. */
  broken(error: unknown, code: RpcErrorCode, message: string): unknown
  readonly onProgress: ((progress: Progress) => void) | undefined
  /** Ends the request. */
  leave(): void
}

/** Turns an answer into what the call returns. @throws RpcError */
export async function readAnswer(incoming: Incoming, context: AnswerContext): Promise<unknown> {
  const { command, kind, leave } = context
  const chunks = checked(incoming, context)
  if (incoming.status !== 200) throw errorOf(command, incoming.status, await textOf(chunks))
  if (kind === 'nothing') {
    await textOf(chunks)
    return undefined
  }
  const isBytes = incoming.header('x-stream-output') !== null
  const isStream = incoming.header('x-chunked-output') !== null
  if (isBytes || kind === 'bytes') return leftEarly(chunks, leave)
  if (isStream || kind === 'stream') return leftEarly(valuesOf(chunks, command), leave)
  const text = await textOf(chunks)
  if (text.trim() === '') return undefined
  try {
    return parseJson(text)
  } catch (error) {
    throw notJson(command, text, error)
  }
}

/** The body, each failure of it told as what it means. */
async function* checked(incoming: Incoming, { command, broken, onProgress }: AnswerContext): AsyncGenerator<Uint8Array> {
  const length = Number(incoming.header('x-content-length') ?? incoming.header('content-length') ?? Number.NaN)
  const total = Number.isNaN(length) ? undefined : length
  let bytes = 0
  const late = () => {
    const text = incoming.lateError()
    return text === undefined ? undefined : new RpcError(text, { code: 'E_CLIENT_FAILED_LATE', command, status: incoming.status })
  }
  try {
    for await (const chunk of incoming.chunks) {
      bytes += chunk.length
      onProgress?.({ direction: 'received', bytes, total })
      yield chunk
    }
  } catch (error) {
    throw (
      late() ??
      broken(error, 'E_CLIENT_CUT_OFF', `${command}: the answer broke off after ${bytes} bytes; the command failed or the node is gone`)
    )
  }
  const error = late()
  if (error !== undefined) throw error
}

async function* valuesOf(chunks: AsyncIterable<Uint8Array>, command: string): AsyncGenerator<unknown> {
  try {
    yield* parseLines(chunks)
  } catch (error) {
    throw error instanceof SyntaxError ? notJson(command, '', error) : error
  }
}

/** An iterable whose early end ends the request too. */
function leftEarly<T>(items: AsyncGenerator<T>, leave: () => void): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      return {
        next: () => items.next(),
        async return() {
          // the request goes first: a generator that waits for bytes is not left before they come
          leave()
          await items.return(undefined).catch(() => {})
          return { done: true, value: undefined }
        }
      }
    }
  }
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const utf8 = new TextDecoder()
  const pieces: string[] = []
  for await (const chunk of chunks) pieces.push(utf8.decode(chunk, { stream: true }))
  pieces.push(utf8.decode())
  return pieces.join('')
}

function notJson(command: string, text: string, cause: unknown): RpcError {
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text
  return new RpcError(`${command}: the answer is no JSON: ${shown}`, { code: 'E_CLIENT_ANSWER', command, status: 200, cause })
}

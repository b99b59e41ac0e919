import { errorOf, RpcError, type RpcErrorCode } from './errors.ts'
import { LineError, parseLine, parseLines } from './json.ts'
import type { CommandOutline } from './outline.ts'
import type { Incoming } from './transport.ts'
import type { Progress } from './types.ts'

interface AnswerContext {
  readonly command: string
  /** The kind by the command's declaration; else the answer's header tells. */
  readonly kind: CommandOutline['reply'] | undefined
  /** The error that a failure to read stands for: the caller's signal, the end of its time, or this. */
  broken(error: unknown, code: RpcErrorCode, message: string): unknown
  readonly onProgress: ((progress: Progress) => void) | undefined
  /** Ends the request. */
  leave(): void
}

/** Turns an answer into what the call returns. @throws RpcError */
export async function readAnswer(incoming: Incoming, context: AnswerContext): Promise<unknown> {
  const { command, kind, leave } = context
  const chunks = checked(incoming, context)
  if (incoming.status !== 200) throw errorOf(command, incoming.status, await errorText(chunks))
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
    return parseLine(text)
  } catch (error) {
    throw notJson(command, error)
  }
}

/** The body, each failure of it told as what it means. */
async function* checked(incoming: Incoming, { command, broken, onProgress }: AnswerContext): AsyncGenerator<Uint8Array> {
  const length = Number(incoming.header('x-content-length') ?? incoming.header('content-length') ?? Number.NaN)
  const total = Number.isNaN(length) ? undefined : length
  let bytes = 0
  const onBytes = (count: number) => {
    bytes += count
    onProgress?.({ direction: 'received', bytes, total })
  }
  yield* bodyOf(incoming, {
    onBytes,
    late: text => new RpcError(text, { code: 'E_CLIENT_FAILED_LATE', command, status: incoming.status }),
    broken: error =>
      broken(error, 'E_CLIENT_CUT_OFF', `${command}: the answer broke off after ${bytes} bytes; the command failed or the node is gone`)
  })
}

async function* valuesOf(chunks: AsyncIterable<Uint8Array>, command: string): AsyncGenerator<unknown> {
  try {
    yield* parseLines(chunks)
  } catch (error) {
    throw notJson(command, error)
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

interface BodyFailures {
  /** The error for one that the node told behind the first byte. */
  late(text: string): unknown
  /** The error for a body that ends early. */
  broken(error: unknown): unknown
  /** Told of each chunk's length before it is handed on. */
  onBytes?(count: number): void
}

/** The octets of an answer. Reading it to its end means that it is whole. */
export async function* bodyOf(incoming: Incoming, { late, broken, onBytes }: BodyFailures): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of incoming.chunks) {
      onBytes?.(chunk.length)
      yield chunk
    }
  } catch (error) {
    const text = incoming.lateError()
    throw text === undefined ? broken(error) : late(text)
  }
  const text = incoming.lateError()
  if (text !== undefined) throw late(text)
}

/** Characters of an error that are read at most, more or less. */
const ERROR_MAX = 1_048_576

/** The text of an answer that tells an error, as far as it came. */
export async function errorText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const utf8 = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of chunks) {
      text += utf8.decode(chunk, { stream: true })
      if (text.length > ERROR_MAX) break
    }
  } catch {
    // the status says enough
  }
  return text
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const utf8 = new TextDecoder()
  const pieces: string[] = []
  for await (const chunk of chunks) pieces.push(utf8.decode(chunk, { stream: true }))
  pieces.push(utf8.decode())
  return pieces.join('')
}

function notJson(command: string, error: unknown): unknown {
  if (!(error instanceof LineError)) return error
  return new RpcError(`${command}: the answer is no JSON: ${error.line}`, {
    code: 'E_CLIENT_ANSWER',
    command,
    status: 200,
    cause: error.cause
  })
}

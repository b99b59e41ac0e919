import { trimRight } from '../../core/go/trim.ts'
import { readAnswer } from './answer.ts'
import { RpcError } from './errors.ts'
import { outlines } from './generated/outlines.ts'
import { type CommandOutline, outlineOf } from './outline.ts'
import { queryOf } from './query.ts'
import type { Fetch, Incoming, Transport } from './transport.ts'
import type { CallRequest, CommandTypes, UntypedRequest } from './types.ts'
import { sendingOf } from './upload.ts'

export interface ClientOptions {
  /** Where the node serves its RPC. Default `http://127.0.0.1:5001`. */
  readonly url?: string
  /** Header fields that are sent with every call, e.g. `{ authorization: 'Bearer …' }`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Carries the calls in place of the platform's own. */
  readonly fetch?: Fetch
  /** Commands besides those that ship, so that their arguments can be given by name: declared ones, or {@link CommandOutline}s. */
  readonly commands?: ReadonlyArray<CommandOutline | Parameters<typeof outlineOf>[0]>
}

type MayBeEmpty<R> = {} extends R ? [request?: R] : [request: R]

/** Calls the commands of a node. */
export interface Client<C> {
  /**
   * Calls a command: `await client.call('pin/add', { args: { ipfsPath: [cid] }, options: { name: 'site' } })`.
   *
   * @returns the object of the answer; an async iterable of objects or of bytes, as they come; undefined for a command that answers nothing
   * @throws RpcError at once for an error before the first byte, while the iterable is read for a later one
   */
  call<P extends keyof C & string>(
    path: P,
    ...request: C[P] extends CommandTypes ? MayBeEmpty<CallRequest<C[P]>> : never
  ): Promise<C[P] extends CommandTypes ? C[P]['reply'] : never>
  /** Calls a command that the compiler does not know. */
  callAny(path: string, request?: UntypedRequest): Promise<unknown>
}

/** A client over any transport. */
export function clientOver<C>(
  transport: Transport,
  { url = 'http://127.0.0.1:5001', headers = {}, commands = [] }: ClientOptions
): Client<C> {
  const known = new Map<string, CommandOutline>(outlines.map(outline => [outline.path, outline]))
  for (const command of commands)
    known.set(command.path, typeof command.reply === 'string' ? (command as CommandOutline) : outlineOf(command as never))
  const base = `${trimRight(url, '/')}/api/v0/`
  const callAny = (path: string, request: UntypedRequest = {}) =>
    call({ transport, base, headers, path, outline: known.get(path) }, request)
  return { callAny, call: callAny as Client<C>['call'] }
}

interface Target {
  readonly transport: Transport
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  readonly path: string
  readonly outline: CommandOutline | undefined
}

async function call(target: Target, { args = [], options = {}, body, signal, timeout, onProgress }: UntypedRequest): Promise<unknown> {
  const { transport, base, path, outline } = target
  const failed = (code: RpcError['code'], message: string, cause?: unknown) => new RpcError(message, { code, command: path, cause })
  let query: string
  try {
    query = queryOf(outline, args, options)
  } catch (error) {
    throw failed('E_CLIENT_CALL', `${path}: ${(error as Error).message}`, error)
  }
  const overtime = timeout === undefined ? undefined : AbortSignal.timeout(timeout)
  const leave = new AbortController()
  const ended = AbortSignal.any([leave.signal, ...(signal === undefined ? [] : [signal]), ...(overtime === undefined ? [] : [overtime])])
  const broken = (error: unknown, code: RpcError['code'], message: string): unknown => {
    if (signal?.aborted) return failed('E_CLIENT_ABORTED', `${path}: the call was aborted`, signal.reason)
    if (overtime?.aborted) return failed('E_CLIENT_TIMEOUT', `${path}: no whole answer within ${timeout} ms`)
    return failed(code, message, error)
  }
  if (ended.aborted) throw broken(undefined, 'E_CLIENT_ABORTED', '')
  const told = (bytes: number) => onProgress?.({ direction: 'sent', bytes })
  const sent = body === undefined ? undefined : await sendingOf(body, transport.streams, told)
  const headers = sent === undefined ? target.headers : { ...target.headers, 'content-type': sent.contentType }
  let incoming: Incoming
  try {
    incoming = await transport.post(`${base}${path}${query === '' ? '' : `?${query}`}`, { headers, body: sent?.body, signal: ended })
  } catch (error) {
    const failure = sent?.failure()
    // what the caller's own content threw is the caller's to see
    if (failure !== undefined && !ended.aborted) throw failure.error
    throw broken(error, 'E_CLIENT_UNREACHABLE', `${path}: no answer from ${base}: ${reasonOf(error)}`)
  }
  return readAnswer(incoming, { command: path, kind: outline?.reply, broken, onProgress, leave: () => leave.abort() })
}

/** `fetch` hides what went wrong one level down. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}

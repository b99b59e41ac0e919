import type { Fetch } from '../transport.ts'
import type { Address } from './address.ts'
import { brokenOff } from './archive.ts'
import { Misbehaviour, Unavailable } from './errors.ts'

/** An answer with status 200 whose body is read piece by piece. */
interface Opened {
  header(name: string): string
  /** Throws Misbehaviour where nothing comes for too long, Unavailable where it breaks off. */
  readonly chunks: AsyncIterator<Uint8Array>
  /** Ends it, read or not. */
  close(): void
}

/** Does something after a time, in milliseconds. @returns what makes it not happen */
export type Timer = (act: () => void, duration: number) => () => void

/** The platform's own. */
export const platformTimer: Timer = (act, duration) => {
  const timer = setTimeout(act, duration)
  return () => clearTimeout(timer)
}

interface GatewayRequest {
  /** The path with the query, from a slash on. */
  readonly path: string
  readonly accept: string
  /** How long the gateway may send nothing, in milliseconds. */
  readonly patience: number
  readonly signal: AbortSignal
  readonly fetch: Fetch
  readonly timer: Timer
}

/**
 * Asks a gateway.
 *
 * @throws Misbehaviour, Unavailable, the signal's reason
 */
export async function open({ url, headers }: Address, { path, accept, patience, signal, fetch, timer }: GatewayRequest): Promise<Opened> {
  signal.throwIfAborted()
  const controller = new AbortController()
  const leave = () => controller.abort(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  const close = () => {
    signal.removeEventListener('abort', leave)
    controller.abort(new Error('closed'))
  }
  const wait = <T>(work: () => Promise<T>) => inTime(work, { patience, controller, signal, timer })
  try {
    const response = await wait(() =>
      fetch(`${url}${path}`, { headers: { ...headers, accept }, signal: controller.signal, cache: 'no-store' })
    )
    if (response.status !== 200) throw refused(response)
    const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader()
    const next = async (): Promise<IteratorResult<Uint8Array>> => {
      const step = reader === undefined ? { done: true as const, value: undefined } : await wait(() => reader.read())
      return step.done ? { done: true, value: undefined } : { done: false, value: step.value }
    }
    return { header: name => response.headers.get(name) ?? '', chunks: { next }, close }
  } catch (error) {
    close()
    throw error
  }
}

/** One wait for a gateway: what it throws is told apart from what this side did. */
async function inTime<T>(
  work: () => Promise<T>,
  { patience, controller, signal, timer }: Pick<GatewayRequest, 'patience' | 'signal' | 'timer'> & { controller: AbortController }
): Promise<T> {
  const stalled = new Misbehaviour(`sent nothing for ${patience / 1000} s`)
  const stop = timer(() => controller.abort(stalled), patience)
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    if (controller.signal.aborted) throw controller.signal.reason
    throw failure(error)
  } finally {
    stop()
  }
}

/** `fetch` hides what went wrong one level down, and says nothing of it in a page. */
function failure(error: unknown): Unavailable {
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } }
  const code = typeof cause?.code === 'string' ? cause.code : ''
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || (error as Error).message === 'terminated') return brokenOff()
  const why = code || (typeof cause?.message === 'string' ? cause.message : '')
  return new Unavailable(`is not reached${why === '' ? '' : ` (${why})`}`, { passing: true })
}

/** Longest time that a gateway is left alone because it says so, in milliseconds. */
const LONGEST_WAIT = 10_000

function refused({ status, headers, body }: Response): Unavailable {
  body?.cancel().catch(() => {})
  if (status === 404 || status === 410 || status === 451) return new Unavailable(`does not have it (status ${status})`, { passing: false })
  const passing = status === 429 || (status >= 500 && status !== 501)
  const seconds = Number(headers.get('retry-after') ?? '')
  const wait = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, LONGEST_WAIT) : 0
  return new Unavailable(`answers with status ${status}`, { passing, wait })
}

import type { Logger, Resource, Resources } from '../../core/index.ts'
import { messageOf } from '../../core/index.ts'

/** The resources of one plugin. They end as a service does: by `stop`. */
export class PluginResources implements Resources {
  readonly #controller = new AbortController()
  readonly #held = new Set<Resource>()
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  add<R extends Resource>(resource: R): R {
    if (this.signal.aborted) this.#endQuietly(resource)
    else this.#held.add(resource)
    return resource
  }

  release(resource: Resource): void {
    this.#held.delete(resource)
  }

  every(milliseconds: number, work: () => unknown): () => void {
    const timer = setInterval(() => this.#run(work), milliseconds)
    return this.#timer(() => clearInterval(timer))
  }

  after(milliseconds: number, work: () => unknown): () => void {
    const timer = setTimeout(() => {
      this.release(end)
      this.#run(work)
    }, milliseconds)
    const end = this.#timer(() => clearTimeout(timer))
    return end
  }

  /** Ends all, the last first, none held up by another that fails. @throws AggregateError of what went wrong */
  async stop(): Promise<void> {
    this.#controller.abort()
    const errors: unknown[] = []
    while (this.#held.size > 0) {
      const all = [...this.#held].reverse()
      this.#held.clear()
      const ended = await Promise.allSettled(all.map(async resource => end(resource)))
      errors.push(...ended.flatMap(one => (one.status === 'rejected' ? [one.reason] : [])))
    }
    if (errors.length === 1) throw errors[0]
    if (errors.length > 1) throw new AggregateError(errors, errors.map(messageOf).join('; '))
  }

  #timer(clear: () => void): () => void {
    const endTimer = () => {
      clear()
      this.release(endTimer)
    }
    return this.add(endTimer)
  }

  #run(work: () => unknown): void {
    Promise.resolve()
      .then(work)
      .catch(error => this.#log.error({ err: error }, messageOf(error)))
  }

  #endQuietly(resource: Resource): void {
    Promise.resolve()
      .then(() => end(resource))
      .catch(error => this.#log.error({ err: error }, messageOf(error)))
  }
}

/** @throws what the resource's own end throws */
function end(resource: Resource): unknown {
  if (typeof resource === 'function') return resource()
  const thing = resource as Partial<AsyncDisposable & Disposable & Record<'close' | 'destroy' | 'stop', () => unknown>>
  // a socket's asynchronous end waits for its peer
  const verb = thing.destroy ?? thing[Symbol.asyncDispose] ?? thing[Symbol.dispose] ?? thing.close ?? thing.stop
  return verb?.call(resource)
}

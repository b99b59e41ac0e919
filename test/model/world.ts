import { copyOf, Model } from './model.ts'
import { type Lines, type Node, openChild, openHere, type Request, type Settings } from './node.ts'

/** A node, and the model of what it holds. */
export class World {
  readonly model = new Model()
  /** Where the node's repo lies now. */
  repo: string
  readonly #settings: Settings & { readonly process: 'here' | 'child' }
  #node: Node | undefined

  constructor(repo: string, settings: Settings & { readonly process: 'here' | 'child' }) {
    this.repo = repo
    this.#settings = settings
  }

  /** @throws what the call does, or for a line that tells of an error */
  async call(path: string, args: readonly string[] = [], options: Request['options'] = {}, files?: Request['files']): Promise<Lines> {
    const lines = await this.#node!.call(path, { args, options, ...(files && { files }) })
    for (const line of lines) {
      const told = typeof line === 'string' ? line : ((line ?? {}) as { Error?: string }).Error
      if (told) throw new Error(told)
    }
    return lines
  }

  async one<T>(path: string, args?: readonly string[], options?: Request['options'], files?: Request['files']): Promise<T> {
    return (await this.call(path, args, options, files)).at(-1) as T
  }

  /** Does what has to be done, or refused, as the model has it. @returns whether it was done */
  async expect(isDone: boolean, what: object, call: () => Promise<unknown>): Promise<boolean> {
    const error = await call().then(
      () => undefined,
      failure => failure as Error
    )
    if (isDone !== (error === undefined)) throw new Error(`${JSON.stringify(what)}: ${error?.stack ?? 'was done'}`)
    return isDone
  }

  /** Notes a change of the tree that was done. @param flushed - whether it, and all before it, is kept */
  changed(flushed: boolean): void {
    if (flushed) this.model.unkept = []
    this.model.unkept.push(copyOf(this.model.root))
  }

  async start(): Promise<void> {
    const open = this.#settings.process === 'here' ? openHere : openChild
    this.#node = await open(this.repo, this.#settings)
    if (this.model.unkept.length === 0) this.changed(true)
  }

  async stop(): Promise<void> {
    await this.#node?.stop()
    this.#node = undefined
  }

  async kill(): Promise<void> {
    this.repo = await this.#node!.kill()
    this.#node = undefined
  }
}

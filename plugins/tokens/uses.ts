import { type Datastore, Key, type Logger, messageOf, type Startable, type Token, token } from '../../core/index.ts'

/** When a name's use is written down again, in milliseconds since it last was. */
const EVERY = 60_000
const PREFIX = '/tokens/used/'

/** When each secret was last used. What is not written down yet when the process dies is at most a minute of it. */
export class TokenUses implements Startable {
  readonly #datastore: Datastore
  readonly #log: Logger
  readonly #used = new Map<string, number>()
  readonly #written = new Map<string, number>()
  #writing: Promise<void> = Promise.resolve()

  constructor(datastore: Datastore, log: Logger) {
    this.#datastore = datastore
    this.#log = log
  }

  /** Notes that a name's secret is used now. */
  note(name: string): void {
    const now = Date.now()
    this.#used.set(name, now)
    if (now - (this.#written.get(name) ?? 0) >= EVERY) this.#write(name)
  }

  /** In milliseconds since the epoch; undefined for one that was never used. */
  async last(name: string): Promise<number | undefined> {
    const now = this.#used.get(name)
    if (now !== undefined) return now
    const key = keyOf(name)
    if (!(await this.#datastore.has(key))) return undefined
    return Number(Buffer.from(await this.#datastore.get(key)).toString())
  }

  /** Forgets a name, so that another secret of that name begins anew. */
  async forget(name: string): Promise<void> {
    await this.#writing
    this.#used.delete(name)
    this.#written.delete(name)
    await this.#datastore.delete(keyOf(name))
  }

  async stop(): Promise<void> {
    for (const [name, at] of this.#used) if (this.#written.get(name) !== at) this.#write(name)
    await this.#writing
  }

  #write(name: string): void {
    const at = this.#used.get(name)!
    this.#written.set(name, at)
    this.#writing = this.#writing
      .then(async () => {
        await this.#datastore.put(keyOf(name), Buffer.from(String(at)))
      })
      .catch(error => this.#log.warn({ name, why: messageOf(error) }, 'the last use of a token could not be written down'))
  }
}

export const Uses: Token<TokenUses> = token<TokenUses>('token-uses')

function keyOf(name: string): Key {
  return new Key(PREFIX + Buffer.from(name).toString('base64url'), false)
}

import { Key } from 'interface-datastore'
import type { Startable } from '../contract/plugin.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../services/host/logs.ts'
import type { Datastore } from '../services/storage/datastore.ts'

/** When a name's use is written down again, in milliseconds since it last was. */
const EVERY = 60_000

/** When each secret was last used. What is not written down yet when the process dies is at most a minute of it. */
export class SecretUses implements Startable {
  readonly #datastore: Datastore
  readonly #prefix: string
  readonly #log: Logger
  readonly #used = new Map<string, number>()
  readonly #written = new Map<string, number>()
  #writing: Promise<void> = Promise.resolve()

  /** @param prefix - of its keys: `/tokens/used/` */
  constructor(datastore: Datastore, prefix: string, log: Logger) {
    this.#datastore = datastore
    this.#prefix = prefix
    this.#log = log
  }

  /** Notes that a name's secret is used now. */
  note(name: string): void {
    const now = Date.now()
    this.#used.set(name, now)
    if (now - (this.#written.get(name) ?? 0) >= EVERY) this.#write(name)
  }

  /** The last use, in milliseconds since the epoch; undefined where there was none. */
  async last(name: string): Promise<number | undefined> {
    const now = this.#used.get(name)
    if (now !== undefined) return now
    const key = this.#keyOf(name)
    if (!(await this.#datastore.has(key))) return undefined
    return Number(Buffer.from(await this.#datastore.get(key)).toString())
  }

  /** Forgets a name, so that another secret of that name begins anew. */
  async forget(name: string): Promise<void> {
    await this.#writing
    this.#used.delete(name)
    this.#written.delete(name)
    const key = this.#keyOf(name)
    if (await this.#datastore.has(key)) await this.#datastore.delete(key)
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
        await this.#datastore.put(this.#keyOf(name), Buffer.from(String(at)))
      })
      .catch(error => this.#log.warn({ name, why: messageOf(error) }, 'the last use of a token could not be written down'))
  }

  #keyOf(name: string): Key {
    return new Key(this.#prefix + Buffer.from(name).toString('base64url'), false)
  }
}

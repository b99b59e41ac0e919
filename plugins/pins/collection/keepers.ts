import { Key } from 'interface-datastore'
import type { Datastore, Host, RootSource } from '../../../core/index.ts'
import { pinErrors } from '../errors.ts'

/** Where the names of the keepers that have to be there are stored, each under its own. */
const KEEPERS = '/local/keepers/'

/** The keys of built-in keepers: they keep something where one of these is there, also in repos that recorded no names. */
const KEYS_OF: ReadonlyMap<string, readonly string[]> = new Map([['mfs', ['/local/filesroot', '/local/mfs/', '/local/trees/']]])

/** The source of the pins, which every collector has. */
export const PINS = 'pins'

interface Keeper {
  /** The name of its plugin. */
  readonly plugin: string
  /** Whether somebody said that what it keeps may go. */
  readonly isForgotten?: boolean
}

/**
 * Remembers in the repo who keeps something in it. A collection without one of them would remove what it keeps: its plugin may be off, have failed, or
 * be gone.
 */
export class Keepers {
  readonly #datastore: Datastore
  readonly #host: Pick<Host, 'plugins'>

  constructor(datastore: Datastore, host: Pick<Host, 'plugins'>) {
    this.#datastore = datastore
    this.#host = host
  }

  /** Records those that have started; those of them that were forgotten are missed again. */
  async record(sources: Iterable<RootSource>): Promise<void> {
    let isChanged = false
    for (const { name, plugin = name } of sources) {
      const known = name === PINS ? undefined : await this.#recorded(name)
      const isRecorded = KEYS_OF.has(name) ? known === undefined : known?.plugin === plugin && !known.isForgotten
      if (name === PINS || isRecorded) continue
      if (KEYS_OF.has(name)) await this.#datastore.delete(keyOf(name))
      else await this.#put(name, { plugin })
      isChanged = true
    }
    if (isChanged) await this.#datastore.sync?.()
  }

  /** @throws E_KEEPER_ABSENT for the first that keeps something and is not among those that are asked */
  async check(sources: ReadonlySet<RootSource>): Promise<void> {
    for (const [name, { plugin }] of await this.#missing(sources)) throw pinErrors.E_KEEPER_ABSENT(name, this.#whyAbsent(plugin))
  }

  /** Has collections go on without these, until they are back. @throws E_KEEPER_KNOWN for one that is not missing */
  async forget(names: readonly string[], sources: ReadonlySet<RootSource>): Promise<void> {
    const missing = await this.#missing(sources)
    for (const name of names) if (!missing.has(name)) throw pinErrors.E_KEEPER_KNOWN(name)
    for (const name of names) await this.#put(name, { ...missing.get(name)!, isForgotten: true })
    await this.#datastore.sync?.()
  }

  async #missing(sources: ReadonlySet<RootSource>): Promise<ReadonlyMap<string, Keeper>> {
    const present = new Set([...sources].map(({ name }) => name))
    const missing = new Map<string, Keeper>()
    for (const [name, keys] of KEYS_OF) if (!present.has(name) && (await this.#hasAny(keys))) missing.set(name, { plugin: name })
    for await (const { key, value } of this.#datastore.query({ prefix: KEEPERS })) {
      const name = decodeURIComponent(key.toString().slice(KEEPERS.length))
      const keeper = read(name, value)
      if (keeper.isForgotten) missing.delete(name)
      else if (!present.has(name)) missing.set(name, keeper)
    }
    return missing
  }

  async #hasAny(prefixes: readonly string[]): Promise<boolean> {
    for (const prefix of prefixes) for await (const _ of this.#datastore.queryKeys({ prefix, limit: 1 })) return true
    return false
  }

  #whyAbsent(plugin: string): string {
    const found = this.#host.plugins().find(({ name }) => name === plugin)
    if (found === undefined) return `no plugin '${plugin}' is here`
    return `the plugin '${plugin}' ${found.state === 'failed' ? 'failed' : 'is off'} (${found.reason ?? 'another makes its service'})`
  }

  async #recorded(name: string): Promise<Keeper | undefined> {
    return (await this.#datastore.has(keyOf(name))) ? read(name, await this.#datastore.get(keyOf(name))) : undefined
  }

  async #put(name: string, keeper: Keeper): Promise<void> {
    await this.#datastore.put(keyOf(name), Buffer.from(JSON.stringify(keeper)))
  }
}

function keyOf(name: string): Key {
  return new Key(KEEPERS + encodeURIComponent(name))
}

/** What is damaged says at least that somebody of this name keeps something. */
function read(name: string, value: Uint8Array): Keeper {
  try {
    const { plugin, isForgotten } = JSON.parse(Buffer.from(value).toString()) as Partial<Keeper>
    return { plugin: typeof plugin === 'string' ? plugin : name, isForgotten: isForgotten === true }
  } catch {
    return { plugin: name }
  }
}

import { KeyedLock } from '../../core/concurrency/index.ts'
import {
  hasCode,
  type Identity,
  type Keys,
  messageOf,
  type NamedKey,
  type Renamed,
  type Repo,
  SELF,
  type Startable
} from '../../core/index.ts'
import { checkBits, generateIdentity, identityOf, isPrivateKey, parsePeerId, peerIdString, sign } from '../../core/keys/index.ts'
import { keysErrors } from './errors.ts'
import type { KeyFiles } from './files.ts'
import { fileNameOf, sorted } from './names.ts'

/** Keys of the lock: changes are made one at a time, and so are RSA keys, each of which keeps a thread busy for up to a minute. */
const CHANGE = 'change'
const RSA = 'rsa'

/** Files of keys that a listing reads at a time, as each takes several ways to the disk. */
const AT_ONCE = 16

/** Keys in files, beside the node's own. */
export class KeyStore implements Keys, Startable {
  readonly #files: KeyFiles
  readonly #repo: Pick<Repo, 'identity'>
  readonly #lock = new KeyedLock()

  constructor(files: KeyFiles, repo: Pick<Repo, 'identity'>) {
    this.#files = files
    this.#repo = repo
  }

  async start(_: AbortSignal, progress: () => void): Promise<void> {
    await this.#files.open(progress)
  }

  async generate(name: string, { type = 'ed25519', bits, signal }: Parameters<Keys['generate']>[1] = {}): Promise<NamedKey> {
    if (name === SELF) throw keysErrors.E_KEY_SELF('create')
    await this.#refuseTaken(name)
    if (type !== 'rsa') return this.import(name, await generateIdentity(type))
    if (bits !== undefined) checkBits(bits)
    const made = await this.#lock.run(RSA, async () => {
      signal?.throwIfAborted()
      return generateIdentity(type, bits)
    })
    signal?.throwIfAborted()
    return this.import(name, made)
  }

  async list(): Promise<readonly NamedKey[]> {
    const keys = [this.#self()]
    const names = await this.#names()
    for (let at = 0; at < names.length; at += AT_ONCE) {
      const found = await Promise.all(names.slice(at, at + AT_ONCE).map(name => this.get(name)))
      keys.push(...found.filter(key => key !== undefined))
    }
    return keys
  }

  async names(): Promise<readonly string[]> {
    return [SELF, ...(await this.#names())]
  }

  async get(name: string): Promise<NamedKey | undefined> {
    if (name === SELF) return this.#self()
    const identity = await this.#identity(name)
    return identity && named(name, identity)
  }

  async find(nameOrId: string): Promise<NamedKey | undefined> {
    const byName = nameOrId === '' ? undefined : await this.get(nameOrId)
    const id = byName === undefined ? peerIdOf(nameOrId) : undefined
    if (id === undefined) return byName
    if (id === this.#repo.identity.peerId) return this.#self()
    let sealed: unknown
    for (const name of await this.#names()) {
      const key = await this.get(name).catch(error => {
        // any other that is of no use is not the one that was meant
        if (hasCode(error, 'E_KEY_SEALED')) sealed ??= error
      })
      if (key?.peerId === id) return key
    }
    if (sealed !== undefined) throw sealed
    return undefined
  }

  async rename(from: string, to: string, { force = false }: { force?: boolean } = {}): Promise<Renamed> {
    if (from === SELF) throw keysErrors.E_KEY_SELF('rename')
    if (to === SELF) throw keysErrors.E_KEY_SELF('overwrite')
    return this.#lock.run(CHANGE, async () => {
      const identity = await this.#known(from)
      fileNameOf(to)
      const overwrote = from !== to && (await this.#isTaken(to))
      if (overwrote && !force) throw keysErrors.E_KEY_TAKEN()
      if (from !== to) await this.#files.rename(from, to)
      return { key: named(to, identity), overwrote }
    })
  }

  async remove(name: string): Promise<NamedKey> {
    if (name === SELF) throw keysErrors.E_KEY_SELF('remove')
    return this.#lock.run(CHANGE, async () => {
      const identity = await this.#known(name)
      await this.#files.remove(name)
      return named(name, identity)
    })
  }

  async import(name: string, identity: Identity): Promise<NamedKey> {
    if (name === SELF) throw keysErrors.E_KEY_SELF('import')
    return this.#lock.run(CHANGE, async () => {
      await this.#refuseTaken(name)
      await this.#files.write(name, identity.privateKey)
      return named(name, identity)
    })
  }

  async export(name: string): Promise<Uint8Array> {
    const identity = name === SELF ? this.#repo.identity : await this.#identity(name)
    if (identity === undefined) throw keysErrors.E_KEY_ABSENT()
    return identity.privateKey
  }

  async sign(name: string, bytes: Uint8Array): Promise<Uint8Array> {
    return sign(await this.export(name), bytes)
  }

  #self(): NamedKey {
    return named(SELF, this.#repo.identity)
  }

  async #names(): Promise<string[]> {
    return sorted(await this.#files.names()).filter(name => name !== SELF)
  }

  async #refuseTaken(name: string): Promise<void> {
    if (await this.#isTaken(name)) throw keysErrors.E_KEY_EXISTS(name)
  }

  /** Also a key that is of no use has its name. @throws E_KEY_NAME, E_KEY_NAME_LONG */
  async #isTaken(name: string): Promise<boolean> {
    fileNameOf(name)
    return (await this.#files.names()).includes(name)
  }

  /** A key that is there, whatever its size. */
  async #known(name: string): Promise<Identity> {
    const identity = await this.#identity(name, { anySize: true })
    if (identity === undefined) throw keysErrors.E_KEY_UNKNOWN(name)
    return identity
  }

  async #identity(name: string, options?: { anySize: boolean }): Promise<Identity | undefined> {
    if (!isName(name)) return undefined
    const bytes = await this.#files.read(name)
    if (bytes === undefined) return undefined
    try {
      return identityOf(bytes, options)
    } catch (error) {
      // the size alone keeps it from being used: the reference then tells that alone
      if (!options?.anySize && isPrivateKey(bytes)) throw error
      throw keysErrors.E_KEY_FILE(name, this.#files.placeOf(name), messageOf(error))
    }
  }
}

function named(name: string, { peerId, type, publicKey }: Identity): NamedKey {
  return { name, peerId, type, publicKey }
}

function isName(name: string): boolean {
  try {
    fileNameOf(name)
    return true
  } catch {
    return false
  }
}

function peerIdOf(text: string): string | undefined {
  try {
    return peerIdString(parsePeerId(text))
  } catch {
    return undefined
  }
}

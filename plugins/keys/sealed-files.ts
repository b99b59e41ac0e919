import { hasCode } from '../../core/index.ts'
import { isPrivateKey } from '../../core/keys/index.ts'
import { keysErrors } from './errors.ts'
import type { KeyFiles } from './files.ts'
import { isSealed, Seal } from './seal.ts'

/** Keys that are encrypted where a passphrase is known; without one, those that are encrypted are told from those that are not. */
export class SealedFiles implements KeyFiles {
  readonly #files: KeyFiles
  readonly #passphrase: () => Promise<string | undefined>
  #seal: Seal | undefined
  /** Whether none is encrypted, once that is known: without a passphrase none comes to be. */
  #areClear = false

  constructor(files: KeyFiles, passphrase: () => Promise<string | undefined>) {
    this.#files = files
    this.#passphrase = passphrase
  }

  /**
   * Encrypts the keys that are not. A passphrase that opens none of those that are encrypted is refused before anything is written with it.
   *
   * @throws E_KEY_PASSPHRASE, and what keeps the passphrase from being read
   */
  async open(progress: () => void): Promise<void> {
    await this.#files.open(progress)
    const passphrase = await this.#passphrase()
    if (passphrase === undefined) return
    const seal = new Seal(passphrase)
    this.#seal = seal
    const plain: Array<[name: string, bytes: Uint8Array]> = []
    let wrong: Error | undefined
    let opened = 0
    for (const name of await this.#files.names()) {
      try {
        const bytes = await this.#files.read(name)
        if (bytes === undefined) continue
        if (isSealed(bytes)) await this.read(name).then(() => opened++)
        else if (isPrivateKey(bytes)) plain.push([name, bytes])
      } catch (error) {
        if (hasCode(error, 'E_KEY_PASSPHRASE')) wrong ??= error
        // what cannot be read is told to whoever asks for it
        else if (!hasCode(error, 'E_KEY_FILE')) throw error
      }
      progress()
    }
    if (opened === 0 && wrong !== undefined) throw wrong
    for (const [name, bytes] of plain) {
      await this.#files.write(name, await seal.seal(bytes))
      progress()
    }
  }

  placeOf(name: string): string {
    return this.#files.placeOf(name)
  }

  names(): Promise<readonly string[]> {
    return this.#files.names()
  }

  /** @throws E_KEY_FILE, E_KEY_SEALED, E_KEY_PASSPHRASE */
  async read(name: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#files.read(name)
    if (bytes === undefined || !isSealed(bytes)) return bytes
    const place = this.placeOf(name)
    if (this.#seal === undefined) throw keysErrors.E_KEY_SEALED(name, place)
    const opened = await this.#seal.open(bytes)
    if (opened === undefined) throw keysErrors.E_KEY_PASSPHRASE(name, place)
    return opened
  }

  /** @throws E_KEY_CLEAR without a passphrase, where other keys are encrypted */
  async write(name: string, bytes: Uint8Array): Promise<void> {
    if (this.#seal === undefined) await this.#refuseBesideSealed(name)
    await this.#files.write(name, this.#seal === undefined ? bytes : await this.#seal.seal(bytes))
  }

  rename(from: string, to: string): Promise<void> {
    return this.#files.rename(from, to)
  }

  remove(name: string): Promise<void> {
    return this.#files.remove(name)
  }

  async #refuseBesideSealed(name: string): Promise<void> {
    if (this.#areClear) return
    for (const other of await this.#files.names()) {
      const bytes = await this.#files.read(other).catch(error => {
        if (!hasCode(error, 'E_KEY_FILE')) throw error
      })
      if (bytes !== undefined && isSealed(bytes)) throw keysErrors.E_KEY_CLEAR(name, other)
    }
    this.#areClear = true
  }
}

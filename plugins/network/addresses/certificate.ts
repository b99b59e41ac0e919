import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import { type Logger, messageOf, type Startable } from '../../../core/index.ts'
import { networkPluginErrors } from '../errors.ts'
import type { NetworkSettings } from '../settings.ts'

/** Octets that a file of a certificate or of its key may have. */
const MOST = 1024 * 1024

/** A certificate with those that it is signed by, and its private key, in PEM. */
export interface Pair {
  readonly cert: Buffer
  readonly key: Buffer
}

interface CertificateParts {
  readonly files: NonNullable<NetworkSettings['wss']>
  /** The folder that the names of the files start at. */
  readonly folder: string
  readonly log: Logger
}

/** The certificate of secure WebSockets, read again when its files are others: certificates are renewed while nodes run. */
export class Certificate implements Startable {
  readonly #parts: CertificateParts
  #pair: Pair
  #shown: string
  #refused = ''
  #timer: NodeJS.Timeout | undefined
  #onRenewed: (pair: Pair) => void = () => {}

  private constructor(parts: CertificateParts, pair: Pair) {
    this.#parts = parts
    this.#pair = pair
    this.#shown = fingerprint(pair)
  }

  /** @throws E_CERTIFICATE */
  static async read(parts: CertificateParts): Promise<Certificate> {
    return new Certificate(parts, await readPair(parts))
  }

  get pair(): Pair {
    return this.#pair
  }

  /** Calls back with each certificate that takes the place of the one before. */
  onRenewed(callback: (pair: Pair) => void): void {
    this.#onRenewed = callback
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), this.#parts.files.lookInterval)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Reads the files again. What cannot be used is told once and left, and the certificate before stays in use. */
  async look(): Promise<void> {
    try {
      const pair = await readPair(this.#parts)
      this.#refused = ''
      if (fingerprint(pair) === this.#shown) return
      this.#shown = fingerprint(pair)
      this.#pair = pair
      this.#onRenewed(pair)
      this.#parts.log.info(`the certificate of secure WebSockets was renewed from ${this.#parts.files.certificate}`)
    } catch (error) {
      const why = messageOf(error)
      if (why !== this.#refused) this.#parts.log.warn(`${why}: the certificate before stays in use`)
      this.#refused = why
    }
  }
}

/** @throws E_CERTIFICATE */
async function readPair({ files, folder }: CertificateParts): Promise<Pair> {
  const [certificate, keyFile] = [resolve(folder, files.certificate), resolve(folder, files.key)]
  const [cert, key] = await Promise.all([read(certificate), read(keyFile)])
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw networkPluginErrors.E_CERTIFICATE(`${certificate} with ${keyFile}`, messageOf(error))
  }
  return { cert, key }
}

async function read(path: string): Promise<Buffer> {
  try {
    const file = await open(path)
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(MOST + 1), 0, MOST + 1, 0)
      if (bytesRead > MOST) throw new Error(`it is larger than ${MOST} octets`)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw networkPluginErrors.E_CERTIFICATE(path, messageOf(error))
  }
}

function fingerprint({ cert, key }: Pair): string {
  return createHash('sha256').update(cert).update('\0').update(key).digest('hex')
}

import { messageOf, type TxtResolver } from '../../../core/index.ts'
import { nameErrors } from '../errors.ts'
import { textQuestion, textsOf } from './message.ts'

const TYPE = 'application/dns-message'

/** The longest message of the domain name system, in bytes. */
const MOST_BYTES = 65_535

/** Asks a resolver over HTTPS (RFC 8484). */
export class HttpsResolver implements TxtResolver {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** @throws E_DNS */
  async texts(domain: string, { signal }: { readonly signal: AbortSignal }): Promise<readonly string[]> {
    const headers = { accept: TYPE, 'content-type': TYPE }
    let answer: Response
    try {
      answer = await fetch(this.#url, { method: 'POST', headers, body: textQuestion(domain), signal, redirect: 'error' })
    } catch (error) {
      signal.throwIfAborted()
      throw nameErrors.E_DNS(`Post "${this.#url}": ${reasonOf(error)}`)
    }
    if (answer.status !== 200) {
      await answer.body?.cancel()
      throw nameErrors.E_DNS(`Post "${this.#url}": HTTP status ${answer.status}`)
    }
    return textsOf(await bounded(answer))
  }
}

async function bounded(answer: Response): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of answer.body ?? []) {
    size += piece.length
    if (size > MOST_BYTES) throw nameErrors.E_DNS(`the answer of the name server has more than ${MOST_BYTES} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** What kept a connection from being made, as the reference words it where it does. */
function reasonOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error
  const { code, address, port } = cause as { code?: string; address?: string; port?: number }
  if (code === 'ECONNREFUSED' && address !== undefined) return `dial tcp ${address}:${port}: connect: connection refused`
  return code ?? messageOf(cause)
}

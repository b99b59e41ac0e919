import { type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { messageOf } from '../../../core/index.ts'
import { nameErrors } from '../errors.ts'
import type { Source } from './cache.ts'
import { type Answer, answerOf, textQuestion } from './message.ts'

const TYPE = 'application/dns-message'

/** The longest message of the domain name system, in bytes. */
export const MOST_BYTES = 65_535

/** Asks a resolver over HTTPS (RFC 8484). */
export class HttpsResolver implements Source {
  readonly #url: URL

  constructor(url: string) {
    this.#url = new URL(url)
  }

  /** @throws E_DNS */
  async answer(domain: string, { signal }: { readonly signal: AbortSignal }): Promise<Answer> {
    try {
      return answerOf(await contentOf(await this.#ask(textQuestion(domain), signal)))
    } catch (error) {
      signal.throwIfAborted()
      throw nameErrors.E_DNS(`Post "${this.#url}": ${reasonOf(error)}`)
    }
  }

  #ask(question: Uint8Array, signal: AbortSignal): Promise<IncomingMessage> {
    const send = this.#url.protocol === 'http:' ? overHttp : overHttps
    const headers = { accept: TYPE, 'content-type': TYPE, 'content-length': question.length }
    return new Promise((resolve, reject) => {
      send(this.#url, { method: 'POST', headers, signal }).on('response', resolve).on('error', reject).end(question)
    })
  }
}

async function contentOf(answer: IncomingMessage): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  // what throws here lets go of the connection
  for await (const piece of answer as AsyncIterable<Uint8Array>) {
    if (answer.statusCode !== 200) break
    size += piece.length
    if (size > MOST_BYTES) throw nameErrors.E_DNS(`the answer has more than ${MOST_BYTES} bytes`)
    pieces.push(piece)
  }
  if (answer.statusCode !== 200) throw nameErrors.E_DNS(`HTTP status ${answer.statusCode}`)
  return Buffer.concat(pieces)
}

/** The reason that a connection was not made, as the reference words it where it does. */
function reasonOf(error: unknown): string {
  const { code, address, port } = error as { code?: string; address?: string; port?: number }
  return code === 'ECONNREFUSED' && address !== undefined ? `dial tcp ${address}:${port}: connect: connection refused` : messageOf(error)
}

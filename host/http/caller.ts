import type { IncomingMessage } from 'node:http'
import type { Authorization, Caller, Grant, HeaderFields } from '../../core/index.ts'

/** The caller of a request; looks at the connection only when somebody asks. */
export class HttpCaller implements Caller {
  readonly transport = 'http'
  readonly grant: Grant | undefined
  readonly authorization: Authorization | undefined
  readonly #request: IncomingMessage

  constructor(request: IncomingMessage, grant: Grant | undefined, authorization?: Authorization | undefined) {
    this.#request = request
    this.grant = grant
    this.authorization = authorization
  }

  get address(): string | undefined {
    return this.#request.socket.remoteAddress
  }

  get userAgent(): string | undefined {
    return this.#request.headers['user-agent']
  }

  get headers(): HeaderFields {
    return this.#request.headers
  }
}

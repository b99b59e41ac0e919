/** The status and header fields of an answer, before those that it would have otherwise. Transports that have no such words leave them out. */
export interface HttpWords {
  /** A status from 200 to 599. */
  readonly status?: number
  /** Header fields to add, or to put in the place of those of the same name. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The status, header fields and body of an error over HTTP. */
export interface HttpError extends HttpWords {
  /** The body in the place of the error's message and code; its type is the header field `Content-Type`. */
  readonly body?: string | Uint8Array
}

/** The header field of an error that says what its message, the reference's to the letter, does not: one line, a few hundred bytes at most. */
export const ERROR_DETAIL = 'X-Error-Detail'

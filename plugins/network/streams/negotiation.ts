import type { SecurityName } from '../config/config.ts'

/** Longest line, and most of them, until two peers agree on a protocol (multistream-select 1.0). */
export const [MOST_BYTES, MOST_LINES] = [1024, 32]

/** The first line of all. */
const FIRST = '/multistream/1.0.0\n'

/** Octets of the length before a line. */
const MOST_DIGITS = 2

const PROTOCOLS: Readonly<Record<SecurityName, string>> = { Noise: '/noise', TLS: '/tls/1.0.0' }

type Ends = Pick<ReadonlySet<string>, 'has'>

/** The protocols by which a connection can be secured. */
export function securing(security: readonly SecurityName[]): ReadonlySet<string> {
  return new Set(security.map(name => PROTOCOLS[name]))
}

/** The lines in which a peer says which protocol it would like: whether they can be such at all. What follows them is not looked at. */
export class Negotiation {
  readonly #ends: Ends
  #lines = 0
  #digits = 0
  #length = 0
  /** Octets of the line that are still to come; -1 while its length is read. */
  #left = -1
  #line = ''
  #isOver = false

  /** @param ends - the protocols that can be agreed on */
  constructor(ends: Ends) {
    this.#ends = ends
  }

  /** Whether one was agreed on. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** @returns whether what has come so far may go on */
  take(bytes: Uint8Array): boolean {
    for (const byte of bytes) {
      if (this.#isOver) return true
      if (!(this.#left < 0 ? this.#digit(byte) : this.#letter(byte))) return false
    }
    return true
  }

  #digit(byte: number): boolean {
    this.#length += (byte & 0x7f) * 128 ** this.#digits++
    if (byte >= 0x80) return this.#digits < MOST_DIGITS
    this.#left = this.#length
    this.#length = 0
    this.#digits = 0
    this.#line = ''
    if (++this.#lines === 1) return this.#left === FIRST.length
    return this.#left > 0 && this.#left <= MOST_BYTES && this.#lines <= MOST_LINES
  }

  #letter(byte: number): boolean {
    this.#line += String.fromCharCode(byte)
    if (--this.#left > 0) return true
    this.#left = -1
    this.#isOver = this.#ends.has(this.#line.trimEnd())
    return byte === 0x0a && (this.#lines > 1 || this.#line === FIRST)
  }
}

/** A connection or stream whose octets can be looked at as they come. */
interface Incoming {
  readonly readBuffer: { subarray(): Uint8Array }
  onData(data: Uint8Array | { subarray(): Uint8Array }): void
  abort(error: Error): void
}

/** Calls once the first octets of a connection come. */
export function watchBeginning(connection: object, began: () => void): void {
  const incoming = connection as Incoming
  const { onData } = incoming
  let hasBegun = false
  incoming.onData = data => {
    if (!hasBegun) began()
    hasBegun = true
    onData.call(incoming, data)
  }
}

/**
 * Aborts a connection or stream as soon as what comes cannot be a negotiation. The library reads a length that has no end byte for byte until the time is
 * over, and keeps an object for each; lines without end it answers one after the other, with no turn for anything else.
 */
export function watchNegotiation(connection: object, ends: Ends, refused: () => Error): void {
  const incoming = connection as Incoming
  const { onData } = incoming
  const negotiation = new Negotiation(ends)
  if (!negotiation.take(incoming.readBuffer.subarray())) {
    incoming.abort(refused())
    return
  }
  incoming.onData = data => {
    if (negotiation.isOver || negotiation.take(data.subarray())) onData.call(incoming, data)
    else incoming.abort(refused())
  }
}

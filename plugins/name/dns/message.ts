import { decodeUtf8 } from '../../../core/go/index.ts'
import { nameErrors } from '../errors.ts'

/** Numbers of RFC 1035: the length of the header, the type and the class of a question for texts, the mark of a pointer. */
const HEADER_BYTES = 12
const TXT = 16
const INTERNET = 1
const POINTER = 0xc0
const MOST_POINTERS = 32
const NO_SUCH_DOMAIN = 3

const NONE: Answer = { texts: [], ttl: 0 }

/** A question for the texts of a domain, as RFC 1035 has it. Its number is 0, as caches like it (RFC 8484). @param domain - with a dot at its end */
export function textQuestion(domain: string): Uint8Array {
  const labels = domain.split('.').slice(0, -1)
  const header = Buffer.from([0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
  const name = labels.map(label => Buffer.from(label)).flatMap(label => [Buffer.of(label.length), label])
  return Buffer.concat([header, ...name, Buffer.of(0, 0, TXT, 0, INTERNET)])
}

/** The answer of a name server about a domain. */
export interface Answer {
  /** Each joined of its parts; none for a domain that there is not. */
  readonly texts: readonly string[]
  /** Seconds for which all of them are good; 0 where there are none. */
  readonly ttl: number
}

/** @throws E_DNS for an answer that is broken or tells of a failure */
export function answerOf(message: Uint8Array): Answer {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength)
  try {
    const code = view.getUint8(3) & 0x0f
    if (code === NO_SUCH_DOMAIN) return NONE
    if (code !== 0) throw nameErrors.E_DNS(`the answer of the name server has the code ${code}`)
    let at = HEADER_BYTES
    for (let left = view.getUint16(4); left > 0; left--) at = afterName(view, at) + 4
    const texts: string[] = []
    let ttl = Number.POSITIVE_INFINITY
    for (let left = view.getUint16(6); left > 0; left--) {
      at = afterName(view, at)
      const isText = view.getUint16(at) === TXT && view.getUint16(at + 2) === INTERNET
      // of an alias on the way as well; a time of 32 bits is none (RFC 2181, 8)
      ttl = Math.min(ttl, view.getInt32(at + 4) < 0 ? 0 : view.getInt32(at + 4))
      const start = at + 10
      at = start + view.getUint16(at + 8)
      if (at > message.length) throw new RangeError()
      if (isText) texts.push(joined(message.subarray(start, at)))
    }
    return texts.length === 0 ? NONE : { texts, ttl }
  } catch (error) {
    if (error instanceof RangeError) throw nameErrors.E_DNS('the answer of the name server ends too early')
    throw error
  }
}

/** Where a name ends: with an empty label, or with a pointer to the rest of it. */
function afterName(view: DataView, start: number): number {
  let at = start
  for (let labels = 0; labels < 4 * MOST_POINTERS; labels++) {
    const length = view.getUint8(at)
    if (length === 0) return at + 1
    if ((length & POINTER) === POINTER) return at + 2
    at += 1 + length
  }
  throw new RangeError()
}

/** A text is one or more strings, each after a byte that says how long it is. */
function joined(data: Uint8Array): string {
  const parts: Uint8Array[] = []
  for (let at = 0; at < data.length; at += 1 + data[at]!) parts.push(data.subarray(at + 1, at + 1 + data[at]!))
  return decodeUtf8(Buffer.concat(parts))
}

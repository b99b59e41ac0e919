import { nameErrors } from '../errors.ts'

/** Of RFC 1035: the header, and what a question for texts ends in. */
const HEADER_BYTES = 12
const TXT = 16
const INTERNET = 1
const POINTER = 0xc0
const MOST_POINTERS = 32
const NO_SUCH_DOMAIN = 3

/** A question for the texts of a domain, as RFC 1035 has it. Its number is 0, as caches like it (RFC 8484). @param domain - with a dot at its end */
export function textQuestion(domain: string): Uint8Array {
  const labels = domain.split('.').slice(0, -1)
  const header = Buffer.from([0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
  const name = labels.map(label => Buffer.from(label)).flatMap(label => [Buffer.of(label.length), label])
  return Buffer.concat([header, ...name, Buffer.of(0, 0, TXT, 0, INTERNET)])
}

/**
 * The texts of an answer, each joined of its parts; none for a domain that there is not.
 *
 * @throws E_DNS for an answer that is broken or tells of a failure
 */
export function textsOf(message: Uint8Array): string[] {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength)
  try {
    const code = view.getUint8(3) & 0x0f
    if (code === NO_SUCH_DOMAIN) return []
    if (code !== 0) throw nameErrors.E_DNS(`the answer of the name server has the code ${code}`)
    let at = HEADER_BYTES
    for (let left = view.getUint16(4); left > 0; left--) at = afterName(view, at) + 4
    const texts: string[] = []
    for (let left = view.getUint16(6); left > 0; left--) {
      at = afterName(view, at)
      const isText = view.getUint16(at) === TXT && view.getUint16(at + 2) === INTERNET
      const start = at + 10
      at = start + view.getUint16(at + 8)
      if (at > message.length) throw new RangeError()
      if (isText) texts.push(joined(message.subarray(start, at)))
    }
    return texts
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
  return Buffer.concat(parts).toString()
}

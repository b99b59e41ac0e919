import { encodeUtf8 } from '../go/utf8.ts'
import { MOST_DIGITS } from './base/big.ts'
import { identity } from './base/binary.ts'
import type { Multibase } from './bases.ts'
import { cidErrors } from './errors.ts'

type Source = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Bytes that are held back before the first output, so that short inputs fail before anything is sent. */
const HELD = 65_536

/**
 * Encodes bytes as they come, with the prefix in front; a base that is one big number takes them all first, up to its limit.
 *
 * @throws E_MULTIBASE_LENGTH
 */
export async function* encodeStream(base: Multibase, source: Source): AsyncGenerator<Uint8Array> {
  const { group } = base
  if (group === undefined) {
    const all = await collect(source, MOST_DIGITS, () => cidErrors.E_MULTIBASE_LENGTH(base.name, MOST_DIGITS))
    yield encodeUtf8(base.prefix + base.encode(all))
    return
  }
  let held = [encodeUtf8(base.prefix)]
  let size = 0
  let incomplete: Uint8Array = new Uint8Array(0)
  for await (const chunk of source) {
    const bytes = incomplete.length > 0 ? Buffer.concat([incomplete, chunk]) : chunk
    const whole = bytes.length - (bytes.length % group)
    incomplete = bytes.subarray(whole)
    held.push(octets(base, bytes.subarray(0, whole)))
    size += held.at(-1)!.length
    if (size < HELD) continue
    yield Buffer.concat(held)
    held = []
    size = 0
  }
  yield Buffer.concat([...held, octets(base, incomplete)])
}

function octets(base: Multibase, bytes: Uint8Array): Buffer {
  return base.encode === identity.encode ? Buffer.from(bytes) : Buffer.from(base.encode(bytes), 'utf8')
}

/** All bytes of `source`, or what `tooMuch` makes when there are more than `most`. */
export async function collect(source: Source, most: number, tooMuch: () => Error): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > most) throw tooMuch()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

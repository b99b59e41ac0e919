import type { CID } from 'multiformats/cid'
import { encodeUtf8 } from '../../../go/utf8.ts'
import type { EncodeOptions } from '../../../services/content/dag.ts'
import { dagErrors } from '../../errors.ts'
import { MAX_UINT64, type Node, plain } from '../../model.ts'
import { Output } from '../../output.ts'
import type { MapOrder } from '../../walk/order.ts'

interface CborEncodeOptions extends EncodeOptions {
  /** Whether links are written as tag 42; otherwise they are refused. */
  links: boolean
  order: MapOrder
}

/** A list or map that is being written. */
type Level =
  | { readonly keyed: false; readonly remaining: Iterator<Node> }
  | { readonly keyed: true; readonly remaining: Iterator<readonly [string, Node]> }

/**
 * Writes a value as canonical CBOR but for the order of keys: smallest integers, floats of 64 bits, definite lengths. No recursion.
 *
 * @throws E_CBOR_NO_LINKS, E_UINT_RANGE, E_ENCODED_TOO_LARGE
 */
export function encodeCbor(root: Node, { links, order, limit, onFailure }: CborEncodeOptions): Uint8Array {
  const out = new Output(limit)
  try {
    write(out, root, links, order)
  } catch (error) {
    onFailure?.(out.finish())
    throw error
  }
  return out.finish()
}

function write(out: Output, root: Node, links: boolean, order: MapOrder): void {
  const stack: Level[] = []
  for (let node: Node | undefined = root; node !== undefined; node = nextValue(out, stack)) {
    const value = plain(node)
    if (Array.isArray(value)) {
      head(out, 0x80, value.length)
      stack.push({ keyed: false, remaining: value.values() })
    } else if (value instanceof Map) {
      head(out, 0xa0, value.size)
      stack.push({ keyed: true, remaining: order(value)[Symbol.iterator]() })
    } else if (value instanceof Uint8Array) {
      head(out, 0x40, value.length)
      out.bytes(value)
    } else if (typeof value === 'string') text(out, value)
    else if (typeof value === 'bigint') integer(out, value)
    else if (typeof value === 'number') {
      out.byte(0xfb)
      out.float64(value)
    } else if (value === null) out.byte(0xf6)
    else if (typeof value === 'boolean') out.byte(value ? 0xf5 : 0xf4)
    else if (links) link(out, value)
    else throw dagErrors.E_CBOR_NO_LINKS()
  }
}

/** The next value of the innermost list or map that has one; a map's key is written on the way. */
function nextValue(out: Output, stack: Level[]): Node | undefined {
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (top.keyed) {
      const { value, done } = top.remaining.next()
      if (!done) {
        text(out, value[0])
        return value[1]
      }
    } else {
      const { value, done } = top.remaining.next()
      if (!done) return value
    }
    stack.pop()
  }
  return undefined
}

function head(out: Output, major: number, size: number): void {
  if (size < 24) out.byte(major | size)
  else if (size < 0x100) out.uint16(((major | 24) << 8) | size)
  else if (size < 0x10000) {
    out.byte(major | 25)
    out.uint16(size)
  } else if (size < 0x100000000) {
    out.byte(major | 26)
    out.uint32(size)
  } else {
    out.byte(major | 27)
    out.uint64(BigInt(size))
  }
}

function text(out: Output, value: string): void {
  if (Buffer.byteLength(value) === value.length) {
    head(out, 0x60, value.length)
    out.ascii(value)
  } else {
    const bytes = encodeUtf8(value)
    head(out, 0x60, bytes.length)
    out.bytes(bytes)
  }
}

function integer(out: Output, value: bigint): void {
  if (value > MAX_UINT64) throw dagErrors.E_UINT_RANGE()
  const negative = value < 0n
  const size = negative ? -1n - value : value
  const major = negative ? 0x20 : 0
  if (size <= 0xffffffffn) head(out, major, Number(size))
  else {
    out.byte(major | 27)
    out.uint64(size)
  }
}

function link(out: Output, cid: CID): void {
  out.uint16(0xd82a)
  head(out, 0x40, cid.bytes.length + 1)
  out.byte(0)
  out.bytes(cid.bytes)
}

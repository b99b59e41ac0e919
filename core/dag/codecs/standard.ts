import type { Codec } from '../../services/content/dag.ts'
import { cbor, dagCbor } from './cbor/cbor.ts'
import { dagPb } from './dag-pb.ts'
import { gitRawCodec, gitZlibCodec } from './git/git.ts'
import { dagJose } from './jose.ts'
import { dagJsonCodec, jsonCodec } from './json/json.ts'
import { raw } from './raw.ts'

/** The most that codecs read. */
interface CodecLimits {
  /** Values in a block of JSON; values in a git object. */
  readonly maxValues?: number
  /** Bytes that compressed input becomes. */
  readonly maxInput?: number
}

/** The codecs that Kubo 0.28 knows. */
export function codecsWithin({ maxValues, maxInput }: CodecLimits = {}): readonly Codec[] {
  return [
    raw,
    dagPb,
    dagCbor,
    cbor,
    dagJsonCodec(maxValues),
    jsonCodec(maxValues),
    dagJose,
    gitRawCodec(maxValues),
    gitZlibCodec({ maxValues, maxInput })
  ]
}

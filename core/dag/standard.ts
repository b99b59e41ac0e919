import type { Codec } from '../services/dag.ts'
import { cbor, dagCbor } from './cbor.ts'
import { dagPb } from './dag-pb.ts'
import { gitRaw, gitZlib } from './git.ts'
import { dagJose } from './jose.ts'
import { dagJsonCodec, jsonCodec } from './json.ts'
import { raw } from './raw.ts'

/**
 * The codecs that Kubo 0.28 knows.
 *
 * @param maxValues - in a block of JSON that is read
 */
export function codecsWithin(maxValues?: number): readonly Codec[] {
  return [raw, dagPb, dagCbor, cbor, dagJsonCodec(maxValues), jsonCodec(maxValues), dagJose, gitRaw, gitZlib]
}

export const standardCodecs: readonly Codec[] = codecsWithin()

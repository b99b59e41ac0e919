import type { Codec } from '../services/dag.ts'
import { cbor, dagCbor } from './cbor.ts'
import { dagPb } from './dag-pb.ts'
import { gitRaw, gitZlib } from './git.ts'
import { dagJose } from './jose.ts'
import { dagJson, json } from './json.ts'
import { raw } from './raw.ts'

/** The codecs that Kubo 0.28 knows. */
export const standardCodecs: readonly Codec[] = [raw, dagPb, dagCbor, cbor, dagJson, json, dagJose, gitRaw, gitZlib]

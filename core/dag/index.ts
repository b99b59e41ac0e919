/**
 * Graphs of blocks: codecs of the data model, and walks over what links to what.
 *
 * @packageDocumentation
 */
export { decodeCbor } from './cbor-decode.ts'
export { encodeCbor } from './cbor-encode.ts'
export { Closure } from './closure.ts'
export { Codecs } from './codecs.ts'
export { MAX_INPUT } from './git.ts'
export { MAX_VALUES } from './json-decode.ts'
export { lookup } from './lookup.ts'

export { kindOf, type Node, pathOfLink, plain, Typed } from './model.ts'
export type { NodeLinks } from './node-links.ts'
export { asStored } from './order.ts'
export { openPb, PbBlock } from './pb.ts'
export { type PbLinkBytes, writePb } from './pb-write.ts'
export {
  cumulativeSizeOf,
  encodeProtoNode,
  loadProtoNode,
  PREFIX_V0,
  type ProtoLink,
  type ProtoNode,
  protoNodeOf,
  readProtoNode,
  type StoredNode,
  type StoreParts,
  storeProtoNode
} from './proto-node.ts'
export { FIXED_32, FIXED_64, LENGTH_DELIMITED, ProtobufReader, VARINT } from './protobuf.ts'
export { checkBlockSize, MAX_BLOCK } from './size.ts'
export { codecsWithin } from './standard.ts'
export { type BlockSource, type Branch, type ChildSource, type Measured, type Reached, TreeWalk, type WalkLimits } from './tree-walk.ts'
export { cidKey, type Failed, SeenCids, type Source, type WalkOptions, walk } from './walk.ts'

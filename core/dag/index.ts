/**
 * Graphs of blocks: codecs of the data model, and walks over what links to what.
 *
 * @packageDocumentation
 */

export type { Failed } from '../services/content/dag.ts'
export { decodeCbor } from './codecs/cbor/decode.ts'
export { encodeCbor } from './codecs/cbor/encode.ts'
export { Codecs } from './codecs/codecs.ts'
export { MAX_INPUT } from './codecs/git/git.ts'
export { MAX_VALUES } from './codecs/json/decode.ts'
export { codecsWithin } from './codecs/standard.ts'

export { kindOf, type Node, pathOfLink, plain, Typed } from './model.ts'
export { addSizes, type NodeLinks, type Size, sizeOf } from './node-links.ts'
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
export type { BlockSource, Branch, ChildSource, Measured, Reached, WalkLimits } from './walk/branch.ts'
export { Closure } from './walk/closure.ts'
export { lookup } from './walk/lookup.ts'
export { lostBelow } from './walk/lost.ts'
export { asStored } from './walk/order.ts'
export { cidKey, SeenCids } from './walk/seen-cids.ts'
export { TreeWalk } from './walk/tree-walk.ts'
export { type Source, type WalkOptions, walk } from './walk/walk.ts'

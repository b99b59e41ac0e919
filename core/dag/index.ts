/**
 * Graphs of blocks: codecs of the data model, and walks over what links to what.
 *
 * @packageDocumentation
 */
export { Closure } from './closure.ts'
export { Codecs } from './codecs.ts'
export { MAX_INPUT } from './git.ts'
export { MAX_VALUES } from './json-decode.ts'
export { lookup } from './lookup.ts'
export { kindOf, type Node, pathOfLink, Typed } from './model.ts'
export { LENGTH_DELIMITED, ProtobufReader, VARINT } from './protobuf.ts'
export { checkBlockSize } from './size.ts'
export { codecsWithin } from './standard.ts'
export { cidKey, type Failed, SeenCids, type Source, type WalkOptions, walk } from './walk.ts'

/**
 * Reading and writing many blocks at a time, and the base of a store of one's own.
 *
 * @packageDocumentation
 */

export { takenMemory } from '../memory.ts'
export { BatchWriter } from './batch-writer.ts'
export { FastBlockstore } from './blockstore.ts'
export { joined } from './bytes.ts'
export { fastBlocks } from './fast.ts'
export { blockOptions, provideOptions } from './options.ts'
export { ReadAheadBudget } from './read-ahead.ts'
export { Reads } from './reads.ts'
export { type RefReply, refStream, storedRefs } from './ref-reply.ts'
export { storedAndReferred } from './referring.ts'
export { RowTable } from './row-table.ts'
export { WholeBlocks } from './whole-blocks.ts'

/**
 * CAR archives: reading, checking and writing them.
 *
 * @packageDocumentation
 */
export { type Car, readCar, type Sections } from './reader.ts'
export { type ByteSpan, type CarScope, type Selected, type Selection, selectBlocks } from './selection.ts'
export { verifyBlock } from './verify.ts'
export { writeCar } from './writer.ts'

/**
 * Tar archives: reading them while they stream in.
 *
 * @packageDocumentation
 */
export { membersOf, type TarMember } from './reader.ts'

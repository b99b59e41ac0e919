/**
 * What commands that work with peers have in common.
 *
 * @packageDocumentation
 */
export { onlineForAction, onlineForCommand } from './online.ts'
export { type PeerView, peerView } from './view.ts'

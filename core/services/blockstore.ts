import type { Blockstore as InterfaceBlockstore } from 'interface-blockstore'
import { type Token, token } from '../token.ts'

/** Where blocks lie: any implementation of the ecosystem's interface fits. Blocks are keyed by multihash; codec and version of a CID do not count. */
export interface Blockstore extends InterfaceBlockstore {}
export const Blockstore: Token<Blockstore> = token<Blockstore>('blockstore')

import { defineErrors } from '../errors.ts'

/** Errors of the local store. Texts: Kubo 0.28, boxo's blockservice and blockstore. */
export const blockErrors = defineErrors({
  E_BLOCK_MISSING: { message: (cid: string) => `ipld: could not find ${cid}` },
  E_BLOCK_NOT_FOUND: { message: (cid: string) => `block was not found locally (offline): ipld: could not find ${cid}` },
  E_BLOCK_UNAVAILABLE: { message: (cid: string, why: string) => `ipld: could not find ${cid}: ${why}` },
  E_BLOCK_CORRUPT: {
    message: (cid?: string) => `block in storage has different hash than requested${cid === undefined ? '' : `: ${cid}`}`
  }
})

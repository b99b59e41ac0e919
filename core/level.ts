/**
 * The level of the RPC that this node speaks, as the reference's version: what clients read in `version` and choose by, and what
 * they are held against when they name theirs.
 */
export const RPC_LEVEL = '0.28.0'

/** Codes of the multicodec table that have a meaning of their own here: codecs of blocks, and functions of multihashes. */
export const IDENTITY = 0x00
export const SHA2_256 = 0x12
export const BLAKE3 = 0x1e
export const MURMUR3_64 = 0x22
export const RAW = 0x55
export const DAG_PB = 0x70
export const DAG_CBOR = 0x71
export const LIBP2P_KEY = 0x72
export const DAG_JSON = 0x0129

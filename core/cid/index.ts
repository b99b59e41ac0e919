/**
 * CIDs: reading and writing them, codecs and hash functions by name, multibase, and what is too weak to be stored.
 *
 * @packageDocumentation
 */
export { base58btc, decodeMultibase, encodeMultibase, type Multibase, multibaseByName, multibases } from './bases.ts'
export { codecByName, codecName, multicodecs } from './codecs.ts'
export { DAG_CBOR, DAG_JSON, DAG_PB, IDENTITY, LIBP2P_KEY, MURMUR3_64, RAW, SHA2_256 } from './codes.ts'
export { type CidEncoder, type CidEncoding, cidEncoder, lowLevelEncoder } from './encoder.ts'
export { digestInTurns, digestSync, hashFunction, hashFunctions, isHashedAtOnce } from './hashers.ts'
export { checkCidSecurity, hashByName, hashName, hashNames, isCidSecure, isSecureHash } from './hashes.ts'
export { createMultihash, decodeMultihash } from './multihash.ts'
export { cidToString, copyOfCid, decodeCid, isDasl, parseCid, rawCidToString, readCid } from './parse.ts'
export { collect, encodeStream } from './stream.ts'
export { type CidPrefix, cidOfDigest, sumCid, sumCidInTurns } from './sum.ts'
export { OVERFLOW, readVarint, TRUNCATED, VarintReader, varintSize, writeVarint } from './varint.ts'

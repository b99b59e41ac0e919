import assert from 'node:assert/strict'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { decodeMultibase, encodeMultibase, multibases } from '../../core/cid/bases.ts'
import { createMultihash, decodeMultihash } from '../../core/cid/multihash.ts'
import { cidToString, decodeCid, parseCid } from '../../core/cid/parse.ts'
import { cidOfDigest } from '../../core/cid/sum.ts'
import { readVarint, varintSize, writeVarint } from '../../core/cid/varint.ts'
import { cleanPath } from '../../core/go/path.ts'
import { parseContentPath } from '../../core/path/parse.ts'
import { attempt, bytesAmong, type Fuzz, fuzz, same, textAmong } from './fuzz.ts'

const QM = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
const CID_TEXT = [QM, 'bafkqaaa', 'b', 'z', 'k', 'f', 'm', 'Q', 'Qm', '1', '0', 'afy', '🚀', '\0', '=', ' ', 'zdj7W']
const PATHS = ['/ipfs/', '/ipns/', '/ipld/', '/', '//', '..', '.', QM, 'bafkqaaa', 'a', '%2f', 'example.org', '\0']
const code = fc.oneof(fc.constantFrom(0, 0x12, 0x55, 0x70, 0x71, 0x0129), fc.nat())

export const names: readonly Fuzz[] = [
  fuzz('CID: any text is read or refused, and what is read comes back', textAmong(CID_TEXT, 5), text => {
    const cid = attempt(() => parseCid(text))
    if (cid !== undefined) same(String(parseCid(cidToString(cid))), String(cid))
  }),
  fuzz('CID: any bytes are read or refused as multiformats does', bytesAmong([1, 0x55, 0x70, 0x12, 0x20, 0, 4], 40), bytes => {
    const cid = attempt(() => decodeCid(bytes))
    if (cid === undefined) return
    const known = CID.decode(bytes)
    same([cid.version, cid.code, cid.multihash.code, String(cid)], [known.version, known.code, known.multihash.code, String(known)])
  }),
  fuzz('CID: one made of its parts comes back', fc.tuple(code, code, fc.uint8Array({ maxLength: 70 })), ([codec, hash, digest]) => {
    const cid = decodeCid(cidOfDigest(1, codec, hash, digest).bytes)
    same([cid.code, cid.multihash.code, Buffer.from(cid.multihash.digest)], [codec, hash, Buffer.from(digest)])
    same(String(CID.parse(cidToString(cid))), String(cid))
  }),
  fuzz(
    'multibase: any text is read or refused',
    textAmong([...multibases.map(({ prefix }) => prefix), 'a', '1', '=', 'Z', 'é'], 8),
    text => {
      attempt(() => decodeMultibase(text))
    }
  ),
  fuzz(
    'multibase: bytes come back in every base',
    fc.tuple(fc.constantFrom(...multibases), fc.uint8Array({ minLength: 1, maxLength: 40 })),
    ([base, bytes]) => {
      const { base: found, bytes: again } = decodeMultibase(encodeMultibase(base, bytes))
      same([found.name, Buffer.from(again)], [base.name, Buffer.from(bytes)])
    }
  ),
  fuzz('multihash: any bytes are read or refused', fc.uint8Array({ maxLength: 40 }), bytes => {
    const multihash = attempt(() => decodeMultihash(bytes))
    // the code of a function beyond 2^53 is only near
    if (multihash !== undefined && Number.isSafeInteger(multihash.code))
      same(Buffer.from(createMultihash(multihash.code, multihash.digest).bytes), Buffer.from(bytes))
  }),
  fuzz('varint: any bytes are read or refused, and what is read is written the same', bytesAmong([0x80, 0xff, 0, 1], 12), bytes => {
    const read = attempt(() => readVarint(bytes))
    if (read === undefined || !Number.isSafeInteger(read.value)) return
    const again = new Uint8Array(varintSize(read.value))
    same(writeVarint(read.value, again, 0), read.size)
    same(Buffer.from(again), Buffer.from(bytes.subarray(0, read.size)))
  }),
  fuzz('varint: numbers come back', fc.maxSafeNat(), value => {
    const bytes = new Uint8Array(varintSize(value))
    writeVarint(value, bytes, 0)
    same(readVarint(bytes), { value, size: bytes.length })
  }),
  fuzz('content path: any text is read or refused, and what is read is clean', textAmong(PATHS, 10), text => {
    const path = attempt(() => parseContentPath(text))
    if (path === undefined) return
    assert.ok(path.segments.every(segment => segment !== '' && segment !== '.' && segment !== '..'))
    same(parseContentPath(path.text), path)
  }),
  fuzz('path: cleaning twice is cleaning once, and never leads above the root', textAmong(PATHS, 12), text => {
    const clean = cleanPath(text)
    same(cleanPath(clean), clean)
    assert.ok(!cleanPath(`/${text}`).split('/').includes('..'))
  })
]

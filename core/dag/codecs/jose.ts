import { CID } from 'multiformats/cid'
import { base64 } from '../../cid/base/base64.ts'
import { decodeCid } from '../../cid/parse.ts'
import { messageOf } from '../../errors.ts'
import type { Codec } from '../../services/content/dag.ts'
import { dagErrors } from '../errors.ts'
import { finished, kindOf, type Node, type Plain, plain, typeName } from '../model.ts'
import { byLength } from '../walk/order.ts'
import { linksOf } from './cbor/cbor.ts'
import { decodeCbor } from './cbor/decode.ts'
import { encodeCbor } from './cbor/encode.ts'

/**
 * `dag-jose` (0x85): signed (JWS) and encrypted (JWE) objects. A block has bytes where a value has unpadded base64url; the value of a JWS
 * shows the CID that is its payload as `link`. (Kubo 0.28 with go-dag-jose)
 */
export const dagJose: Codec = {
  name: 'dag-jose',
  code: 0x85,
  decode,
  encode: (node, options) => encodeCbor(blockOf(node), { ...options, links: true, order: byLength }),
  links: bytes => linksOf(decode(bytes))
}

type Fields = ReadonlyMap<string, Node>
type Convert = (value: Node) => Node

const url = base64({ url: true })

const JWE = 'dagjose.DecodedJWE.Repr'
const JWS = 'dagjose.DecodedJWS.Repr'

/** The fields that are bytes in a block, per kind of object; other fields are kept. */
const SIGNATURE = { bytes: ['protected', 'signature'], others: ['header'] }
const RECIPIENT = { bytes: ['encrypted_key'], others: ['header'] }
const ENCRYPTED = { bytes: ['aad', 'ciphertext', 'iv', 'protected', 'tag'], others: ['unprotected'] }

function decode(bytes: Uint8Array): Node {
  const root = decodeCbor(bytes, { links: true })
  return plain(root) instanceof Map && (plain(root) as Fields).has('ciphertext') ? decodeJwe(root) : decodeJws(root)
}

function decodeJwe(root: Node): Node {
  const { found: recipients, otherFields } = take(mapOf(root, JWE), 'recipients')
  const jwe = convert(otherFields, ENCRYPTED, JWE, toText)
  if (recipients !== undefined)
    jwe.set(
      'recipients',
      listOf(recipients).map(entry => finished(convert(mapOf(entry, JWE), RECIPIENT, JWE, toText)))
    )
  return jwe
}

function decodeJws(root: Node): Node {
  const fields = mapOf(root, JWS)
  for (const key of fields.keys()) if (key !== 'payload' && key !== 'signatures') throw dagErrors.E_MAP_KEY_INVALID(JWS, key)
  const payload = fields.get('payload')
  const signatures = fields.get('signatures')
  if (payload === undefined) throw dagErrors.E_FIELDS_MISSING('payload')
  const jws = new Map<string, Node>([['payload', toText(payload)]])
  if (signatures !== undefined)
    jws.set(
      'signatures',
      listOf(signatures).map(entry => finished(convert(mapOf(entry, JWS), SIGNATURE, JWS, toText)))
    )
  jws.set('link', decodeCid((plain(payload) as Uint8Array).slice()))
  return jws
}

/** The value as its block has it, in the general form. */
function blockOf(node: Node): Node {
  const value = plain(node)
  if (!(value instanceof Map)) throw dagErrors.E_WRONG_KIND('LookupByString', typeName(node), kindOf(node), 'map')
  if (value.has('ciphertext')) return general(value, 'recipients', RECIPIENT, ENCRYPTED, JWE)
  if (!value.has('payload')) throw dagErrors.E_JOSE_OBJECT()
  const { found: link, otherFields } = take(value, 'link')
  const jws = general(otherFields, 'signatures', SIGNATURE, { bytes: ['payload'], others: [] }, JWS)
  const payload = payloadCid(jws.get('payload') as Uint8Array)
  if (link !== undefined && !isCid(plain(link), payload)) throw dagErrors.E_JOSE_LINK()
  return jws
}

/** Whether a value, a link or its text, is this CID. */
function isCid(value: Plain, cid: CID): boolean {
  return (typeof value === 'string' || value instanceof CID) && String(value) === String(cid)
}

function payloadCid(bytes: Uint8Array): CID {
  try {
    return decodeCid(bytes)
  } catch (error) {
    throw dagErrors.E_JOSE_PAYLOAD(messageOf(error))
  }
}

interface Shape {
  readonly bytes: readonly string[]
  readonly others: readonly string[]
}

/** The value with its only signature or recipient in a list, where it has the fields of one beside its own (the flattened form). */
function general(value: Fields, list: string, entry: Shape, flattened: Shape, type: string): Map<string, Node> {
  const { found: given, otherFields } = take(value, list)
  const names = [...flattened.bytes, ...flattened.others]
  const mine = new Map([...otherFields].filter(([key]) => names.includes(key)))
  const flat = new Map([...otherFields].filter(([key]) => !names.includes(key)))
  if (given !== undefined && flat.size > 0) throw dagErrors.E_JOSE_FORM(type === JWE ? 'JWE' : 'JWS')
  const block = convert(mine, flattened, type, toBytes)
  const entries = given === undefined ? (flat.size > 0 || type === JWS ? [flat] : []) : listOf(given).map(item => mapOf(item, type))
  if (entries.length > 0)
    block.set(
      list,
      entries.map(item => convert(item, entry, type, toBytes))
    )
  return block
}

function convert(fields: Fields, { bytes, others }: Shape, type: string, change: Convert): Map<string, Node> {
  const converted = new Map<string, Node>()
  for (const [key, value] of fields) {
    if (bytes.includes(key)) converted.set(key, change(value))
    else if (others.includes(key)) converted.set(key, value)
    else throw dagErrors.E_MAP_KEY_INVALID(type, key)
  }
  return converted
}

function toText(node: Node): string {
  const value = plain(node)
  if (!(value instanceof Uint8Array)) throw dagErrors.E_WRONG_KIND('AsBytes', typeName(node), kindOf(node), 'bytes')
  return url.encode(value)
}

function toBytes(node: Node): Uint8Array {
  const value = plain(node)
  if (typeof value !== 'string') throw dagErrors.E_WRONG_KIND('AsString', typeName(node), kindOf(node), 'string')
  return url.decode(value)
}

/** An entry of a map, and the map without it. */
function take(fields: Fields, key: string): { found: Node | undefined; otherFields: Fields } {
  const otherFields = new Map(fields)
  otherFields.delete(key)
  return { found: fields.get(key), otherFields }
}

function mapOf(node: Node, type: string): Fields {
  const value = plain(node)
  if (value instanceof Map) return value
  throw dagErrors.E_WRONG_KIND('AssignNode', type, kindOf(node), 'map')
}

function listOf(node: Node): readonly Node[] {
  const value = plain(node)
  if (Array.isArray(value)) return value
  throw dagErrors.E_WRONG_KIND('AssignNode', 'list', kindOf(node), 'list')
}

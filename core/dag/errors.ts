import { defineErrors } from '../errors.ts'
import { goQuote } from '../go/quote.ts'

const hex = (n: number) => n.toString(16)

/** Codecs, the data model, and graphs of blocks. Texts: Kubo 0.28 with go-ipld-prime 0.21, refmt 0.89, go-codec-dagpb 1.6. */
export const dagErrors = defineErrors({
  /** A stream that ended between two values. The reference takes it for success wherever a command ends with it. */
  E_EOF: { message: () => 'EOF' },
  E_UNEXPECTED_EOF: { message: () => 'unexpected EOF' },

  E_NO_DECODER: { message: (code: number) => `no decoder registered for multicodec code ${code} (0x${hex(code)})` },
  E_NO_ENCODER: { message: (code: number) => `no encoder registered for multicodec code ${code} (0x${hex(code)})` },
  E_DECODER_CHOICE: { message: (why: string) => `could not choose a decoder: ${why}` },
  E_CODEC_TAKEN: { message: (name: string, code: number) => `codec ${name}: there is one for multicodec code ${code} already` },

  E_HASHER_TAKEN: { message: (name: string, code: number) => `hasher ${name}: there is one for multihash code ${code} already` },
  E_WALK_TOO_LONG: { message: (limit: number) => `the graph has more than ${limit} blocks` },
  E_INPUT_TOO_LARGE: { message: (limit: number) => `input takes more than ${limit} bytes (plugins.dag.maxInput)` },
  E_BLOCK_TOO_LARGE: {
    message: () =>
      "produced block is over 1MiB: big blocks can't be exchanged with other peers. consider using UnixFS for automatic chunking of bigger files, or pass --allow-big-block to override"
  },

  E_WRONG_KIND: {
    message: (method: string, type: string, kind: string, wanted: string) =>
      `func called on wrong kind: "${method}" called on a ${type} node (kind: ${kind}), but only makes sense on ${wanted}`
  },
  E_UINT_RANGE: { message: () => 'unsigned integer out of range of uint64 type' },
  E_KEY_NOT_FOUND: { message: (key: string) => `key not found: ${goQuote(key)}` },
  E_NO_SUCH_FIELD: { message: (field: string) => `no such field: {typeinfomissing}.${field}` },
  E_SEGMENT_INVALID: { message: (segment: string, why: string) => `invalid segment for lookup on a list: ${goQuote(segment)}: ${why}` },
  /** Where the reference breaks down. */
  E_LIST_INDEX_NEGATIVE: { message: (index: bigint) => `index out of range [${index}]` },
  E_MAP_KEY_REPEATED: { message: (key: string) => `cannot repeat map key ${goQuote(key)}` },
  E_MAP_KEY_KIND: { message: (token: string) => `unexpected ${token} token while expecting map key` },
  E_MAP_KEY_INVALID: { message: (type: string, key: string) => `invalid key for map ${type}: ${goQuote(key)}: no such field` },
  E_FIELDS_MISSING: { message: (fields: string) => `missing required fields: ${fields}` },
  E_ENCODED_TOO_LARGE: { message: (limit: number) => `encoding takes more than ${limit} bytes (plugins.dag.maxOutput)` },

  E_CBOR_BYTE: { message: (byte: number) => `Invalid majorByte: 0x${hex(byte)}` },
  E_CBOR_DESCRIPTOR: { message: (byte: number) => `decodeUint: Invalid descriptor: ${byte}` },
  E_CBOR_LENGTH: { message: () => 'cbor: positive integer is out of length' },
  E_CBOR_NEGATIVE: { message: () => 'cbor: negative integer out of rage of int64 type' },
  E_CBOR_OVERSIZED: {
    message: (what: string, size: number | bigint) => `cbor: decoding rejected oversized ${what} field: ${size} is too large`
  },
  E_CBOR_CHUNK: {
    message: (major: number, byte: number) =>
      `cbor: expect bytes or string major type in indefinite string/bytes; got: ${major}, byte: ${byte}`
  },
  E_CBOR_BREAK: { message: () => 'unexpected break; expected value in indefinite-length map' },
  E_CBOR_TAGS: { message: () => 'unsupported multiple tags on a single data item' },
  E_CBOR_TAG: { message: (tag: number | bigint) => `unhandled cbor tag ${tag}` },
  E_CBOR_LOSS: {
    message: (tag: number | bigint | undefined) =>
      tag === undefined
        ? '`undefined` of CBOR has no place in the data model, and would be read as null'
        : `the tag ${tag} of CBOR has no place in the data model, and would be left out`
  },
  E_CBOR_LINK: { message: () => 'invalid multibase on IPLD link' },
  E_CBOR_BUDGET: { message: () => 'message structure demanded too many resources to process' },
  E_CBOR_TRAILING: { message: () => 'unexpected content after end of cbor object' },
  E_CBOR_NO_LINKS: { message: () => 'cannot Marshal ipld links to CBOR' },

  E_JSON_RESERVED: { message: () => 'a map of the value is {"/": …}, which dag-json has for links and bytes' },
  E_JSON_TEXT: { message: () => 'a string of the value is no UTF-8, and JSON has no way to write it' },
  E_JSON_SURROGATE: { message: () => 'a string of the JSON has half of a surrogate pair, which is no character' },
  E_JSON_PRECISION: { message: (text: string) => `the number ${text} has more digits than a float of 64 bits keeps` },
  E_JSON_VALUE: { message: (byte: number) => `Invalid byte while expecting start of value: 0x${hex(byte)}` },
  E_JSON_COMMA: { message: (of: string, found: string) => `expected comma or ${of} close after ${of} value; got ${found}` },
  E_JSON_COLON: { message: (byte: number) => `expected colon after map key; got 0x${hex(byte)}` },
  E_JSON_STRING: { message: (byte: number) => `invalid unprintable byte in string literal: 0x${hex(byte)}` },
  E_JSON_ESCAPE: { message: (byte: number) => `invalid byte in string escape sequence: 0x${hex(byte)}` },
  E_JSON_UNICODE: { message: (byte: number) => `invalid byte in \\u hexadecimal character escape: 0x${hex(byte)}` },
  E_JSON_VALUES: {
    message: (most: number) => `more than ${most} values in one block: this node reads no more (plugins.dag.maxValues)`
  },
  E_JSON_TRAILING: { message: () => 'unexpected content after end of json object' },
  E_JSON_FLOAT: { message: (value: string) => `unsupported value: ${value}` },
  E_JSON_NO_LINKS: { message: () => 'cannot marshal IPLD links to this codec' },
  E_JSON_NO_BYTES: { message: () => 'cannot marshal IPLD bytes to this codec' },

  E_PB_FIELD: { message: () => 'proto: invalid field number' },
  E_PB_VARINT: { message: () => 'proto: variable length integer overflow' },
  E_PB_LINKS: { message: (most: number) => `protobuf: (PBNode) more than ${most} links` },
  E_PB_NODE_WIRE: { message: (type: number) => `protobuf: (PBNode) invalid wireType, expected 2, got ${type}` },
  E_PB_NODE_FIELD: { message: (field: number) => `protobuf: (PBNode) invalid fieldNumber, expected 1 or 2, got ${field}` },
  E_PB_NODE_DUPLICATE: { message: (section: string) => `protobuf: (PBNode) duplicate ${section} section` },
  E_PB_LINK_WIRE: { message: (type: number, field: string) => `protobuf: (PBLink) wrong wireType (${type}) for ${field}` },
  E_PB_LINK_FIELD: { message: (field: number) => `protobuf: (PBLink) invalid fieldNumber, expected 1, 2 or 3, got ${field}` },
  E_PB_LINK_DUPLICATE: { message: (section: string) => `protobuf: (PBLink) duplicate ${section} section` },
  E_PB_LINK_ORDER: { message: (found: string, before: string) => `protobuf: (PBLink) invalid order, found ${found} before ${before}` },
  E_PB_LINK_HASH: {
    message: (why?: string) => `invalid Hash field found in link, expected CID${why === undefined ? '' : ` (${why})`}`
  },
  E_PB_LINK_TSIZE: { message: (size: bigint) => `Link has negative Tsize value [${size}]` },

  E_JOSE_OBJECT: { message: () => 'invalid JOSE object' },
  E_JOSE_FORM: { message: (kind: string) => `invalid ${kind} serialization` },
  E_JOSE_PAYLOAD: { message: (why: string) => `payload is not a valid CID: ${why}` },
  E_JOSE_LINK: { message: () => 'cid mismatch' },

  E_GIT_TYPE: { message: (type: string) => `unrecognized object type: ${type}` },
  E_GIT_BLOB_SIZE: { message: () => 'blob size was not accurate' },
  E_GIT_PERSON: { message: (line: string) => `invalid personInfo: ${line}` },
  E_GIT_HEX: { message: (text: string) => `invalid object name: ${goQuote(text)}` },
  E_GIT_SIGNATURE: { message: () => 'expected first line of sig to be a single space or version' },
  E_GIT_VALUES: {
    message: (most: number) => `more than ${most} values in one git object: this node reads no more (plugins.dag.maxValues)`
  },
  E_GIT_INFLATE: { message: (why: string) => `zlib: ${why}` },
  E_GIT_COMMIT: { message: (type: string, why: string) => `not a Commit: ${type} ${why}` }
})

import { deflateSync } from 'node:zlib'
import test from 'ava'
import { type Attack, attacks, type Expected, failed } from '../support/attack.ts'
import { DAG_CBOR, DAG_JSON, DAG_PB, GIT_ZLIB, stored } from '../support/blocks.ts'

const DEEP = 20_000

function hex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'))
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'latin1'))
}

/** A block that is no node: every command that has to read it says the same. */
function broken(name: string, code: number, bytes: Uint8Array, message: string, memory?: number): Attack {
  return {
    name,
    memory,
    async make(target) {
      const cid = await stored(target, code, bytes)
      return [
        { path: `dag/get?arg=${cid}`, expect: { status: 500, text: failed(message) } },
        { path: `refs?recursive=true&arg=${cid}`, expect: { status: 200, text: `${JSON.stringify({ Ref: '', Err: message })}\n` } },
        { path: `pin/add?arg=${cid}`, expect: { status: 500, text: failed(`pin: ${message}`) } },
        { path: `dag/stat?arg=${cid}`, expect: { status: 500, text: failed(message) } },
        { path: `cat?arg=${cid}`, expect: { status: 500, text: failed(message) } },
        { path: `get?arg=${cid}`, expect: { status: 500, text: failed(message) } },
        { path: `ls?arg=${cid}`, expect: { status: 500, text: failed(message) } },
        { path: `dag/resolve?arg=${cid}/a`, expect: { status: 500, text: failed(message) } }
      ]
    }
  }
}

const brokenJson = (what: string, text: string, message: string, memory?: number) =>
  broken(`dag-json ${what}`, DAG_JSON, latin1(text), message, memory)
const brokenPb = (what: string, bytes: string, message: string) => broken(`dag-pb ${what}`, DAG_PB, hex(bytes), message)

/** A block that is a node, however odd: what it is as dag-json, how long that is, or how `dag get` refuses it. */
function odd(name: string, code: number, bytes: Uint8Array, shown: string | number | Expected, memory?: number): Attack {
  return {
    name,
    memory,
    async make(target) {
      const cid = await stored(target, code, bytes)
      const expect =
        typeof shown === 'string' ? { status: 200, text: shown } : typeof shown === 'number' ? { status: 200, bytes: shown } : shown
      return [
        { path: `dag/get?arg=${cid}`, expect },
        { path: `refs?recursive=true&arg=${cid}`, expect: { status: 200, text: '' } },
        { path: `pin/add?arg=${cid}`, expect: { status: 200, text: `{"Pins":["${cid}"]}\n` } },
        { path: `dag/stat?progress=false&arg=${cid}`, expect: { status: 200, lines: 1 } },
        { path: `cat?arg=${cid}`, expect: { status: 500, text: failed('unknown node type') } }
      ]
    }
  }
}

const NO_TEXT = 'a string of the value is no UTF-8, and JSON has no way to write it'
const BUDGET = 'message structure demanded too many resources to process'

const cbor: readonly Attack[] = [
  odd('CBOR lists 20,000 deep', DAG_CBOR, latin1(`${'\x81'.repeat(DEEP)}\x80`), 2 * DEEP + 2),
  odd('CBOR maps 20,000 deep', DAG_CBOR, latin1(`${'\xa1\x61a'.repeat(DEEP)}\xa0`), 6 * DEEP + 2),
  broken('CBOR lists 5 million deep', DAG_CBOR, latin1(`${'\x81'.repeat(5_000_000)}\x80`), BUDGET, 300),
  broken(
    'CBOR bytes that declare 4 GB',
    DAG_CBOR,
    hex('5a ffffffff 00'),
    'cbor: decoding rejected oversized byte field: 4294967295 is too large'
  ),
  broken('CBOR text that declares 2^64 bytes', DAG_CBOR, hex('7b ffffffffffffffff 00'), 'cbor: positive integer is out of length'),
  broken('CBOR list that declares 4 billion entries', DAG_CBOR, hex('9a ffffffff 00'), BUDGET),
  broken('CBOR list that declares 2^63 entries', DAG_CBOR, hex('9b 8000000000000000 00'), 'cbor: positive integer is out of length'),
  broken('CBOR map that declares 4 billion entries', DAG_CBOR, hex('ba ffffffff 6161 00'), BUDGET),
  broken('CBOR list without an end', DAG_CBOR, hex('9f 01 02'), 'EOF'),
  broken('CBOR with a tag on bytes that is no link', DAG_CBOR, hex('c1 4101'), 'unhandled cbor tag 1'),
  broken('CBOR with a key twice', DAG_CBOR, hex('a2 6161 01 6161 02'), 'cannot repeat map key "a"'),
  odd('CBOR integer that is longer than it has to be', DAG_CBOR, hex('1b 0000000000000001'), '1'),
  odd('CBOR list of indefinite length', DAG_CBOR, hex('9f 01 02 ff'), '[1,2]'),
  odd('CBOR with a tag on an integer', DAG_CBOR, hex('c1 00'), {
    status: 500,
    text: failed('the tag 1 of CBOR has no place in the data model, and would be left out')
  }),
  odd('CBOR bytes in a million empty pieces', DAG_CBOR, latin1(`\x5f${'\x40'.repeat(1_000_000)}\xff`), '{"/":{"bytes":""}}'),
  odd('CBOR list of a million empty lists', DAG_CBOR, latin1(`\x9a\x00\x0f\x42\x40${'\x80'.repeat(1_000_000)}`), 3_000_001, 160)
]

const dagJson: readonly Attack[] = [
  {
    name: 'dag-json text that is no UTF-8',
    async make(target) {
      const cid = await stored(target, DAG_JSON, hex('22 ff fe 22'))
      return [
        { path: `dag/get?arg=${cid}`, expect: { status: 200, error: NO_TEXT } },
        { path: `pin/add?arg=${cid}`, expect: { status: 200, text: `{"Pins":["${cid}"]}\n` } },
        { path: `cat?arg=${cid}`, expect: { status: 500, text: failed('unknown node type') } }
      ]
    }
  },
  odd('dag-json lists 20,000 deep', DAG_JSON, latin1('['.repeat(DEEP) + ']'.repeat(DEEP)), 2 * DEEP),
  odd('dag-json maps 20,000 deep', DAG_JSON, latin1(`${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`), 6 * DEEP + 1),
  brokenJson(
    'lists 2 million deep',
    '['.repeat(2_000_000),
    'more than 1000000 values in one block: this node reads no more (plugins.dag.maxValues)',
    200
  ),
  brokenJson('number beyond all', '1e999999999', 'strconv.ParseFloat: parsing "1e999999999": value out of range'),
  brokenJson('bytes that are no base64', '{"/":{"bytes":"*"}}', 'illegal base64 data at input byte 0'),
  brokenJson('bytes without an end', '{"/":{"bytes":"YQ"}', 'EOF'),
  brokenJson('text without an end', '"abc', 'unexpected EOF'),
  brokenJson('with something behind it', '1 2', 'unexpected content after end of json object'),
  brokenJson('with a key twice', '{"a":1,"a":2}', 'cannot repeat map key "a"'),
  brokenJson('NaN', 'NaN', 'Invalid byte while expecting start of value: 0x4e'),
  brokenJson(
    'link of a million digits',
    `{"/":"z${'2'.repeat(1_000_000)}"}`,
    'invalid cid: base58 of more than 131072 bytes is not converted: its cost grows faster than its length'
  ),
  brokenJson('link that is no CID', '{"/":"zzz"}', 'invalid cid: invalid cid: expected 1 as the cid version number, got: 13'),
  odd('dag-json bytes that are a number', DAG_JSON, latin1('{"/":{"bytes":1}}'), '{"/":{"bytes":1}}'),
  {
    name: 'dag-json text of 200,000 halves of characters',
    async make(target) {
      const cid = await stored(target, DAG_JSON, latin1(`"${'\\ud800'.repeat(200_000)}"`))
      const message = 'a string of the JSON has half of a surrogate pair, which is no character'
      return [
        { path: `dag/get?arg=${cid}`, expect: { status: 500, text: failed(message) } },
        // what a pin looks for are links alone
        { path: `pin/add?arg=${cid}`, expect: { status: 200, text: `{"Pins":["${cid}"]}\n` } }
      ]
    }
  },
  odd('dag-json text of 200,000 escapes', DAG_JSON, latin1(`"${'\\u00e9'.repeat(200_000)}"`), 400_002)
]

const dagPb: readonly Attack[] = [
  brokenPb(
    'link with its name before its hash',
    '12 0b 1201 61 0a 06 0155 0000 00 00',
    'protobuf: (PBLink) invalid order, found Name before Hash'
  ),
  brokenPb('with an unknown field', '1a 00', 'protobuf: (PBNode) invalid fieldNumber, expected 1 or 2, got 3'),
  brokenPb('link without a hash', '12 03 1201 61', 'invalid Hash field found in link, expected CID'),
  brokenPb('data that declare 4 GB', '0a ffffffff 0f 00', 'unexpected EOF'),
  brokenPb('link that declares 2^63 bytes', '12 ffffffffffffffff 7f 00', 'unexpected EOF'),
  brokenPb('with data twice', '0a 00 0a 00', 'protobuf: (PBNode) duplicate Data section'),
  {
    name: 'dag-pb link of a size below zero, and with a name that is no UTF-8',
    async make(target) {
      const negative = await stored(target, DAG_PB, hex('12 11 0a 04 01 55 00 00 18 ffffffffffffffffff 01'))
      const name = await stored(target, DAG_PB, hex('12 0a 0a 04 01 55 00 00 12 02 ff fe'))
      const link = (fields: string) => `{"Data":null,"Links":[{"Hash":{"/":"bafkqaaa"},${fields}}]}`
      return [
        { path: `dag/get?arg=${negative}`, expect: { status: 200, text: link('"Name":null,"Tsize":-1') } },
        { path: `dag/get?arg=${name}`, expect: { status: 200, error: NO_TEXT } }
      ]
    }
  },
  {
    name: 'dag-pb of 125,000 links to a block that lies in its CID',
    memory: 160,
    async make(target) {
      const cid = await stored(target, DAG_PB, latin1('\x12\x06\x0a\x04\x01\x55\x00\x00'.repeat(125_000)))
      return [
        { path: `refs?recursive=true&arg=${cid}`, expect: { status: 200, bytes: 3_500_000 } },
        { path: `pin/add?arg=${cid}`, expect: { status: 200, text: `{"Pins":["${cid}"]}\n` } },
        { path: `block/stat?arg=${cid}`, expect: { status: 200, text: `{"Key":"${cid}","Size":1000000}\n` } },
        { path: `dag/stat?progress=false&arg=${cid}`, expect: { status: 200, lines: 1 } }
      ]
    }
  }
]

/** 40 KB that become 40 MB: a commit of 20 million lines. */
const bomb = deflateSync(latin1(`commit 40000000\0${'x\n'.repeat(20_000_000)}`))
const NO_DECODER = 'no decoder registered for multicodec code 3145848 (0x300078)'

const git: readonly Attack[] = [
  broken('a stored block of compressed git', GIT_ZLIB, bomb, `could not choose a decoder: ${NO_DECODER}`),
  {
    name: 'compressed git as input that becomes more than a node may be',
    memory: 160,
    make: () => [
      {
        path: 'dag/put?input-codec=0x300078&store-codec=git-raw&allow-big-block=true',
        parts: [bomb],
        expect: { status: 500, text: failed('input takes more than 33554432 bytes (plugins.dag.maxInput)') }
      }
    ]
  }
]

attacks(test, [...cbor, ...dagJson, ...dagPb, ...git])

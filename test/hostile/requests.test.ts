import test from 'ava'
import { type Attack, attacks, type Expected, failed } from './support/attack.ts'
import { inlined, RAW } from './support/blocks.ts'
import { body, FILE, sent, upload } from './support/form.ts'

const VERSION = /^\{"Version":"0\.28\.0",/
const EMPTY = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'

/** A request with nothing but its path and query. */
function query(
  name: string,
  path: string,
  expect: Attack extends { make: never } ? never : { status: number; text?: string | RegExp; bytes?: number; lines?: number }
): Attack {
  return { name, make: () => [{ path, expect }] }
}

/** A request with a header field of 10 KB and more. */
function header(name: string, value: string, expect: Expected): Attack {
  return { name: `a header field ${name} of ${value.length} bytes`, make: () => [{ path: 'version', headers: { [name]: value }, expect }] }
}

const DIGITS = `k${'z'.repeat(131_000)}`
const queries: readonly Attack[] = [
  query('a query of 1 MB', `version?x=${'y'.repeat(1_050_000)}`, {
    status: 414,
    text: 'query too long: this node takes 1048576 bytes (rpc.limits.queryBytes)\n'
  }),
  query('100,000 options that nobody knows', `version?${'x=1&'.repeat(100_000)}`, { status: 200, text: VERSION }),
  query('100,000 times the same option', `version?${'all=1&'.repeat(100_000)}`, {
    status: 400,
    text: /^expected key all to have only a single value, received \[1 1/
  }),
  query('100,000 arguments', `cid/format?${'arg=&'.repeat(100_000)}`, {
    status: 400,
    text: 'too many arguments: this node takes 65536 in one call (rpc.limits.arguments)\n'
  }),
  query('an option of 100 KB', `version?encoding=${'x'.repeat(100_000)}`, {
    status: 400,
    text: `invalid encoding: ${'x'.repeat(100_000)}\n`
  }),
  query('a path of 500,000 words', `${'a/'.repeat(500_000)}`, {
    status: 431,
    text: 'header too large: this node takes 16384 bytes (rpc.limits.headerBytes)\n'
  }),
  query('a path of percent signs', '%61'.repeat(5000), { status: 404, text: '404 page not found\n' }),
  query('a content path of 300,000 steps up', `resolve?arg=/ipfs/bafkqaaa${'/..'.repeat(300_000)}`, { status: 500, bytes: 900_108 }),
  query('a content path of a million slashes', `resolve?arg=${'/'.repeat(1_000_000)}`, { status: 500, bytes: 1_000_094 }),
  query('a content path of control characters', `resolve?arg=${'%01'.repeat(300_000)}`, { status: 500, bytes: 1_500_094 }),
  query('CIDs of 131,000 digits', `cid/format?${`arg=${DIGITS}&`.repeat(7)}`, { status: 200, lines: 7 }),
  query('a format that repeats a CID of 480 KB', `cid/format?f=${'%25s'.repeat(50_000)}&arg=${inlined(RAW, new Uint8Array(300_000))}`, {
    status: 200,
    text: /"Formatted":"","ErrorMsg":"the format makes more than 1048576 characters of one CID; the setting is plugins\.cid\.maxFormatted"\}\n$/
  }),
  query('a timeout of 100,000 digits', `version?timeout=${'1'.repeat(100_000)}h`, { status: 200, text: '' }),
  query('a timeout of 100,000 units', `version?timeout=${'1h'.repeat(100_000)}`, { status: 200, text: VERSION }),
  query('a timeout beyond all', 'version?timeout=99999999999h', { status: 200, text: '' }),
  query('an offset beyond all', 'cat?arg=bafkqaaa&offset=99999999999999999999', {
    status: 400,
    text: 'could not convert value "99999999999999999999" to type "int64" (for option "-offset")\n'
  }),
  query('an offset below zero', 'cat?arg=bafkqaaa&offset=-1', { status: 500, text: failed('cannot specify negative offset') }),
  query('a length of 2^63 - 1', 'cat?arg=bafkqaaa&length=0x7fffffffffffffff', { status: 200, text: '' }),
  query('a depth beyond all', `refs?arg=${EMPTY}&max-depth=99999999999`, {
    status: 400,
    text: 'could not convert value "99999999999" to type "int" (for option "-max-depth")\n'
  }),
  query('a format of 100,000 places', `refs?arg=${EMPTY}&format=${'<dst>'.repeat(100_000)}`, { status: 200, text: '' }),
  header('User-Agent', '/kubo/'.repeat(2500), { status: 200, text: VERSION }),
  header('Origin', `http://${'a.'.repeat(7000)}`, { status: 403, text: '403 - Forbidden\n' }),
  header('Referer', `http:${'/'.repeat(14_000)}`, { status: 403, text: '403 - Forbidden\n' }),
  header('X', 'y'.repeat(17_000), { status: 431, text: 'header too large: this node takes 16384 bytes (rpc.limits.headerBytes)\n' })
]

const bodies: readonly Attack[] = [
  sent(
    '2 million argument lines',
    () => upload('bafkqaaa\n', 2_000_000),
    { status: 400, text: failed('too many arguments: this node takes 65536 in one call (rpc.limits.arguments)', 1) },
    'pin/rm'
  ),
  sent('100 argument lines of 131,000 digits', () => upload(`${DIGITS}\n`, 100), { status: 200 }, 'cid/base32'),
  sent(
    'a block of 70 MB',
    () => upload('x', 70_000_000),
    {
      status: 500,
      text: failed('block/put: a block has more than 67108864 bytes, the most that this node takes (plugins.blocks.maxBlockSize)')
    },
    'block/put'
  ),
  sent(
    'a node of 40 MB',
    () => upload(' ', 40_000_000),
    { status: 500, text: failed('input takes more than 33554432 bytes (plugins.dag.maxInput)') },
    'dag/put'
  ),
  sent(
    'a node of 30 MB of brackets',
    () => upload('[', 30_000_000),
    { status: 500, text: failed('more than 1000000 values in one block: this node reads no more (plugins.dag.maxValues)') },
    'dag/put'
  ),
  sent(
    'a node of 5 million escapes',
    () => body(`--e\r\n${FILE}\r\n\r\n"`, '\\n', 5_000_000, '"\r\n--e--\r\n'),
    {
      status: 500,
      text: failed(
        "produced block is over 1MiB: big blocks can't be exchanged with other peers. consider using UnixFS for automatic chunking of bigger files, or pass --allow-big-block to override"
      )
    },
    'dag/put'
  ),
  sent(
    '5 MB of base58',
    () => upload('2', 5_000_000, 'z'),
    {
      status: 500,
      text: failed('failed to decode multibase: base58 of more than 131072 bytes is not converted: its cost grows faster than its length')
    },
    'multibase/decode'
  )
].map(attack => ({ ...attack, memory: 160 }))

/** What importing a CAR of these bytes says. */
function car(name: string, make: () => AsyncIterable<Uint8Array>, expect: Expected): Attack {
  return sent(name, make, expect, 'dag/import?pin-roots=false')
}

/** The header of a CAR without roots: its length, `{"roots": [], "version": 1}`. */
const HEADER = '\x11\xa2\x65roots\x80\x67version\x01'

/** An upload of one file of these bytes, one character a byte. */
function bytes(first: string, piece = '', times = 0): AsyncIterable<Uint8Array> {
  return (async function* () {
    for await (const text of upload(piece, times, first)) yield Buffer.from(text.toString(), 'latin1')
  })()
}

const cars: readonly Attack[] = [
  car('a CAR whose header declares 4 GB', () => bytes('\xff\xff\xff\xff\x0f'), { status: 500, text: /beyond allowable maximum/ }),
  car('a CAR whose header declares 2^62 bytes', () => bytes('\xff\xff\xff\xff\xff\xff\xff\xff\x3f'), {
    status: 500,
    text: /beyond allowable maximum/
  }),
  car('a CAR whose section declares 4 GB', () => bytes(`${HEADER}\xff\xff\xff\xff\x0f`), { status: 500, text: /beyond allowable maximum/ }),
  car('a CAR that is cut off', () => bytes(`${HEADER}\x20\x01\x55`), { status: 500, text: /unexpected EOF/ }),
  car('a CAR of a million empty sections', () => bytes(HEADER, '\0', 1_000_000), { status: 500 }),
  car('a CAR of 200,000 times the same empty block', () => bytes(HEADER, '\x04\x01\x55\0\0', 200_000), { status: 200 })
]

attacks(test, [...queries, ...bodies, ...cars])

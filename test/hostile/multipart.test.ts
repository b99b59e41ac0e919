import test from 'ava'
import { type Attack, attacks, failed } from './support/attack.ts'
import { body, FILE, sent, upload } from './support/form.ts'
import type { Part } from './support/http.ts'

const KIB = 1024
const VERSION = /^\{"Version":"0\.28\.0",/
const PART = `--e\r\n${FILE}\r\n\r\n\r\n`
const LARGE = { status: 500, text: failed('multipart: message too large') }
const LONG = 'b'.repeat(70)

const uploads: readonly Attack[] = [
  sent('10,000 empty files', () => body('', PART, 10_000, '--e--\r\n'), { status: 200, lines: 10_000 }),
  sent('100,000 empty parts that nobody wants', () => body('', PART, 100_000, '--e--\r\n'), { status: 200, text: VERSION }, 'version'),
  sent('a part header that never ends', () => body('--e\r\nX: ', 'x', 5_000_000, ''), LARGE),
  sent('a part header of 100,000 fields', () => body('--e\r\n', 'X-Y: z\r\n', 100_000, ''), LARGE),
  sent('part headers full of blanks', () => body('', `--e\r\nX: a${' '.repeat(16_000)}b\r\n${FILE}\r\n\r\nx\r\n`, 200, '--e--\r\n'), {
    status: 200,
    lines: 200
  }),
  sent(
    'a quoted-printable part full of blanks',
    () => body(`--e\r\n${FILE}\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`, `${' '.repeat(60_000)}x\r\n`, 50, '\r\n--e--\r\n'),
    { status: 500, text: failed('quotedprintable: line too long') }
  ),
  sent('50 MB before the first part', () => body('', `${'preamble '.repeat(100)}\r\n`, 50_000, ''), {
    status: 500,
    text: failed('multipart: NextPart: EOF')
  }),
  sent('a line without an end before the first part', () => body('', 'x', 10_000_000, ''), {
    status: 500,
    text: failed('multipart: NextPart: bufio: buffer full')
  }),
  sent('a file of almost boundaries', () => upload('\r\n--', 3_000_000), { status: 200, lines: 1 }),
  sent('an upload without an end', () => body('', `--e\r\n${FILE}\r\n\r\nabc`, 1, ''), {
    status: 200,
    lines: 1,
    error: 'multipart: NextPart: EOF'
  }),
  {
    name: 'a file of almost boundaries of 70 characters',
    make: () => [
      {
        path: 'add?pin=false',
        headers: { 'Content-Type': `multipart/form-data; boundary=${LONG}` },
        body: body(`--${LONG}\r\n${FILE}\r\n\r\n`, `\r\n--${LONG.slice(1)}`, 200_000, `\r\n--${LONG}--\r\n`),
        expect: { status: 200, lines: 1 }
      }
    ]
  },
  {
    name: 'boundaries that are none',
    make: () => [
      {
        path: 'add',
        headers: { 'Content-Type': `multipart/form-data; boundary=${'b'.repeat(1 << 20)}` },
        expect: { status: 431, text: 'header too large: this node takes 16384 bytes (rpc.limits.headerBytes)\n' }
      },
      {
        path: 'add',
        headers: { 'Content-Type': `multipart/form-data; boundary=${'b'.repeat(15_000)}` },
        body: `--${'b'.repeat(15_000)}\r\n`,
        expect: { status: 500, text: failed('multipart: NextPart: bufio: buffer full') }
      },
      {
        path: 'add',
        headers: { 'Content-Type': 'multipart/form-data' },
        body: 'x',
        expect: { status: 400, text: 'no multipart boundary param in Content-Type\n' }
      },
      {
        path: 'add',
        headers: { 'Content-Type': 'multipart/form-data; boundary=""' },
        body: '--\r\n',
        expect: { status: 500, text: failed('expected a file argument') }
      }
    ]
  }
]

/** A file of this name, as it stands in the header. */
function named(name: string): Part {
  return { head: [`Content-Disposition: form-data; name="file"; filename="${name}"`, 'Content-Type: application/octet-stream'], data: 'x' }
}

/** What the files of an upload are called once they are added below a folder. */
function names(name: string, ...known: string[]): Attack {
  const text = new RegExp(
    `^${known.map(one => `\\{"Name":${JSON.stringify(one).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')},[^\\n]*\\n`).join('')}$`
  )
  return {
    name: `a file called ${JSON.stringify(name)}`,
    make: () => [{ path: 'add?wrap-with-directory=true&pin=false', parts: [named(name)], expect: { status: 200, text } }]
  }
}

const X = 'QmULKig5Fxrs2sC4qt9nNduucXfb92AFYQ6Hi3YRqDmrYC'
const added: readonly Attack[] = [
  names('../../etc/passwd', 'etc/passwd', 'etc', ''),
  names('%2e%2e%2fx', 'x', ''),
  names('%2Fetc%2Fpasswd', 'etc/passwd', 'etc', ''),
  names('a%00b', 'a\0b', ''),
  names('a%2Fb', 'a/b', 'a', ''),
  names('%zz', '%zz', ''),
  names('a%5C..%5Cb', 'a\\..\\b', ''),
  names('.', X, ''),
  names('', X, ''),
  { name: 'a file called 100 KiB', make: () => [{ path: 'add', parts: [named('n'.repeat(100 * KIB))], expect: LARGE }] },
  {
    name: 'a file 2,000 folders deep',
    make: () => [{ path: 'add?pin=false', parts: [named(`${'a%2F'.repeat(2000)}b`)], expect: { status: 200 } }]
  },
  {
    name: 'a symlink to 5 MB of text',
    make: () => [
      {
        path: 'add?pin=false',
        parts: [{ head: [FILE, 'Content-Type: application/symlink'], data: 'x'.repeat(5_000_000) }],
        expect: { status: 500, text: failed('object size limit exceeded') }
      }
    ]
  }
]

/** What adding 100 KB with this chunker says; undefined where it works. */
function chunker(name: string, message?: string): Attack {
  const expect = message === undefined ? { status: 200, lines: 1 } : { status: 500, text: failed(message) }
  return {
    name: `chunker ${name}`,
    make: () => [{ path: `add?pin=false&chunker=${name}`, parts: ['x'.repeat(100_000)], expect }]
  }
}

const TOO_LARGE = 'chunker parameters may not exceed the maximum chunk size of 1048576'
const chunkers: readonly Attack[] = [
  chunker('size-99999999999', TOO_LARGE),
  chunker('size-99999999999999999999', 'strconv.Atoi: parsing "99999999999999999999": value out of range'),
  chunker('size-0', 'chunker size must be greater than 0'),
  chunker('size--1', 'strconv.Atoi: parsing "": invalid syntax'),
  chunker('size-1'),
  chunker('rabin-0'),
  chunker('rabin-99999999', TOO_LARGE),
  chunker('rabin-9223372036854775807', TOO_LARGE),
  chunker('rabin-1-2-3', 'rabin min must be greater than 16'),
  chunker('rabin-16-17-18'),
  chunker('buzhash-1', 'unrecognized chunker option: buzhash-1')
]

attacks(test, [...uploads, ...added, ...chunkers])

import test from 'ava'
import fc from 'fast-check'
import { Splitter } from '../../../../host/rpc/upload/splitter.ts'

const limits = { parts: 10, partHeaderBytes: 200 }

/** What a splitter says of a body that comes in these pieces: `{field=value}`, `data`, `|` for the end of a part, `.` for the end. */
function split(pieces: readonly (string | Buffer)[], boundary = 'edge', bounds = limits): string {
  let said = ''
  const splitter = new Splitter(
    boundary,
    {
      part: header => {
        said += `{${Object.entries(header)
          .map(([name, value]) => `${name}=${value}`)
          .join(',')}}`
      },
      data: bytes => {
        said += bytes.toString('latin1')
      },
      partEnd: error => {
        said += error === undefined ? '|' : `!${error.message}|`
      },
      end: () => {
        said += '.'
      },
      fail: error => {
        said += `!!${error.message}`
      }
    },
    bounds
  )
  for (const piece of pieces) splitter.write(Buffer.from(piece as string, 'latin1'))
  splitter.end()
  return said
}

const bodies: ReadonlyArray<[what: string, body: string, said: string]> = [
  ['two parts', '--edge\r\nA: 1\r\n\r\nx\r\n--edge\r\nB: 2\r\nC: 3\r\n\r\ny\r\n--edge--\r\n', '{a=1}x|{b=2,c=3}y|.'],
  ['an empty part', '--edge\r\n\r\n\r\n--edge--', '{}|.'],
  ['a part without even a line end', '--edge\r\n\r\n--edge--', '{}|.'],
  ['text before and after', 'pre\r\namble\r\n--edge\r\n\r\nx\r\n--edge--\r\npost', '{}x|.'],
  ['line feeds alone', '--edge\nA: 1\n\nx\n--edge\n\ny\r\n--edge--\n', '{a=1}x|{}y\r|.'],
  [
    'line feeds alone, and what looks like the end of a header in the data, twice',
    '--edge\nA: 9\n\nsame\r\n\r\nrest\n--edge\nA: 9\n\nsame\r\n\r\nrest\n--edge--\n',
    '{a=9}same\r\n\r\nrest|{a=9}same\r\n\r\nrest|.'
  ],
  ['the same header with other data', '--edge\r\nA: 1\r\n\r\nx\r\n--edge\r\nA: 1\r\n\r\n\r\n\r\ny\r\n--edge--', '{a=1}x|{a=1}\r\n\r\ny|.'],
  ['blanks behind boundaries', '--edge \t\r\n\r\nx\r\n--edge--  \r\n', '{}x|.'],
  ['boundaries that go on', '--edge\r\n\r\n--edgeling\r\n--edge-\r\nx --edge\r\n--edge--', '{}--edgeling\r\n--edge-\r\nx --edge|.'],
  ['line ends before the boundary', '--edge\r\n\r\nx\r\n\r\r\n\r\n--edge--', '{}x\r\n\r\r\n|.'],
  ['a folded field', '--edge\r\nA: 1;\r\n  2\r\n\r\n\r\n--edge--', '{a=1; 2}|.'],
  ['a field that comes twice', '--edge\r\nA: 1\r\na: 2\r\n\r\n\r\n--edge--', '{a=1}|.'],
  ['nothing but the end', '--edge--\r\n', '.'],
  ['nothing but a boundary', '--edge\r\n', '.'],
  ['the end in a header', '--edge\r\nA: 1\r\n', '.'],
  ['the end in the data', '--edge\r\n\r\nhalf', '{}half!unexpected EOF|!!multipart: NextPart: EOF'],
  ['the end after a boundary', '--edge\r\n\r\nx\r\n--edge\r\n', '{}x|.'],
  ['the end inside a boundary', '--edge\r\n\r\nx\r\n--ed', '{}x\r\n--ed!unexpected EOF|!!multipart: NextPart: EOF'],
  ['nothing', '', '!!multipart: NextPart: EOF'],
  ['another boundary', '--other\r\n\r\nx\r\n--other--\r\n', '!!multipart: NextPart: EOF'],
  ['a header without a colon', '--edge\r\nA"b\r\n\r\nx', '!!malformed MIME header: missing colon: "A\\"b"'],
  ['a header that starts with a blank', '--edge\r\n A: 1\r\n\r\nx', '!!malformed MIME header initial line:  A: 1'],
  ['a header with a broken name', '--edge\r\n(A): 1\r\nB: 2\r\n\r\nx', '!!malformed MIME header line: (A): 1'],
  ['a header with a control character', '--edge\r\nA: \x01\r\n\r\nx', '!!malformed MIME header line: A: \x01'],
  ['a boundary line with more', '--edge\r\n\r\nx\r\n--edge oops\r\n', '{}x|!!multipart: expecting a new Part; got line "--edge oops\\r\\n"']
]

for (const [what, body, said] of bodies) {
  test(`${what}: however the bytes come in`, t => {
    t.is(split([body]), said)
    t.is(split(body.split('')), said)
    for (let cut = 0; cut <= body.length; cut++) t.is(split([body.slice(0, cut), body.slice(cut)]), said)
  })
}

test('any data comes out as it went in, however it is cut', t => {
  const piece = fc.constantFrom('\r', '\n', '-', '--', '--edge', '\r\n--edg', '\r\n--edgex', 'e', '\r\n', 'x')
  const data = fc.array(piece, { maxLength: 30 }).map(pieces => pieces.join(''))
  fc.assert(
    fc.property(data, fc.array(fc.nat(200), { maxLength: 6 }), (text, cuts) => {
      fc.pre(
        !/\r\n--edge(?:[ \t\r\n]|--|$)/.test(`\r\n${text}\r\n`.replace(/^\r\n(?!--edge)/, '')) && !/^--edge(?:[ \t\r\n]|--|$)/.test(text)
      )
      const body = `--edge\r\n\r\n${text}\r\n--edge--\r\n`
      const at = [0, ...cuts.map(cut => cut % body.length).sort((a, b) => a - b), body.length]
      const pieces = at.slice(1).map((end, i) => body.slice(at[i], end))
      t.is(split(pieces), `{}${text}|.`)
    })
  )
})

test('data full of starts of a delimiter, short or long, is told from it', t => {
  for (const boundary of ['b', 'edge', 'a-boundary-that-is-longer-than-any-short-one']) {
    const data = `\r\n--${boundary}`.slice(0, -1).repeat(40) + `\r\n--${boundary}x`.repeat(40)
    t.is(split([`--${boundary}\r\n\r\n${data}\r\n--${boundary}--`], boundary), `{}${data}|.`)
    t.is(split(`--${boundary}\n\n${data}\n--${boundary}--`.split(''), boundary), `{}${data}|.`)
  }
})

test('the number of parts is bounded', t => {
  const parts = (n: number) => split([`${'--edge\r\n\r\nx\r\n'.repeat(n)}--edge--`], 'edge', { parts: 2, partHeaderBytes: 100 })
  t.is(parts(2), '{}x|{}x|.')
  t.is(parts(3), '{}x|{}x|!!multipart: too many parts: this node takes 2 (rpc.limits.parts)')
})

test('the size of a part’s header is bounded, line ends included, whether its end has come or not', t => {
  const bounds = { parts: 2, partHeaderBytes: 20 }
  const header = (size: number) => `A: ${'x'.repeat(size - 7)}\r\n\r\n`
  t.is(split([`--edge\r\n${header(20)}--edge--`], 'edge', bounds), `{a=${'x'.repeat(13)}}|.`)
  t.is(split([`--edge\r\n${header(21)}--edge--`], 'edge', bounds), '!!multipart: message too large')
  t.is(split([`--edge\r\nA: ${'x'.repeat(18)}`], 'edge', bounds), '!!multipart: message too large')
})

test('a header that was read before is bounded as it was then, and nobody can change its fields', t => {
  const body = '--edge\r\nA: known\r\n\r\nx\r\n--edge--'
  for (let i = 0; i < 3; i++) t.is(split([body]), '{a=known}x|.')
  t.is(split([body], 'edge', { parts: 10, partHeaderBytes: 11 }), '!!multipart: message too large')
  t.is(split([body], 'edge', { parts: 10, partHeaderBytes: 12 }), '{a=known}x|.')
  const fields: unknown[] = []
  const nothing = () => {}
  const splitter = new Splitter(
    'edge',
    { part: header => fields.push(header), data: nothing, partEnd: nothing, end: nothing, fail: nothing },
    limits
  )
  splitter.write(Buffer.from(body))
  t.true(Object.isFrozen(fields[0]))
})

test('lines outside of parts are bounded', t => {
  t.is(split([`${'x'.repeat(4095)}\n--edge--`]), '.')
  t.is(split([`${'x'.repeat(4096)}\n--edge--`]), '!!multipart: NextPart: bufio: buffer full')
})

test('whatever comes in, a splitter ends once and never throws', t => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('--edge', '\r\n', '\n', '--', 'A: 1', ':', ' ', 'x', '\0'), { maxLength: 40 }), pieces => {
      t.regex(split(pieces), /^(?:(?!!!)[\s\S])*(?:\.|!![\s\S]*)$/)
    })
  )
})

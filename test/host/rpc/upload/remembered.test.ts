import test from 'ava'
import fc from 'fast-check'
import type { parseMediaType } from '../../../../host/rpc/upload/media-type.ts'
import type { Splitter } from '../../../../host/rpc/upload/splitter.ts'

interface Modules {
  readonly Splitter: typeof Splitter
  readonly parseMediaType: typeof parseMediaType
}

let count = 0

/** The modules as a process has them that has read nothing so far: imported under another address, they remember nothing of the others. */
async function fresh(): Promise<Modules> {
  const query = `?fresh=${count++}`
  const { Splitter } = await import(`../../../../host/rpc/upload/splitter.js${query}`)
  const { parseMediaType } = await import(`../../../../host/rpc/upload/media-type.js${query}`)
  return { Splitter, parseMediaType }
}

/** What is said of a body that comes in these pieces. */
function said({ Splitter, parseMediaType }: Modules, pieces: readonly string[], partHeaderBytes: number): string {
  const events: unknown[] = []
  const disposition = (value = '') => {
    try {
      const { type, parameters } = parseMediaType(value)
      return [type, ...parameters]
    } catch (error) {
      return (error as Error).message
    }
  }
  let data = ''
  const event = (...what: unknown[]) => {
    events.push(data, what)
    data = ''
  }
  const splitter = new Splitter(
    'edge',
    {
      part: header => event(Object.entries(header), disposition(header['content-disposition'])),
      data: bytes => {
        data += bytes.toString('latin1')
      },
      partEnd: error => event('part end', error?.message),
      end: () => event('end'),
      fail: error => event('fail', error.message)
    },
    { parts: 10, partHeaderBytes }
  )
  for (const piece of pieces) splitter.write(Buffer.from(piece, 'latin1'))
  splitter.end()
  return JSON.stringify(events)
}

const long = (size: number) => `A: ${'x'.repeat(size - 7)}\r\n\r\n`
const field = 'Content-Disposition: form-data; filename='

const piece = fc.constantFrom(
  ...[
    '--edge\r\n',
    '--edge\n',
    '\r\n--edge\r\n',
    '\r\n--edge--\r\n',
    '\r\n',
    '\n',
    '\r',
    '\r\n\r\n',
    '\n\n',
    ' ',
    '\t',
    ':',
    '\0',
    '\xff',
    '\x85'
  ],
  ...[
    'A: 1\r\n\r\n',
    'A: 1\n\n',
    'A: 1\r\n',
    'a: 2\r\n',
    ' folded\r\n',
    'A: 1\r\n 2\r\n\r\n',
    'A: 1\r\n\r\n\r\n\r\n',
    'no colon\r\n\r\n',
    '(A): 1\r\n\r\n'
  ],
  ...[`${field}"f"\r\n\r\n`, `${field}"g"\r\n\r\n`, `${field}f;filename=g\r\n\r\n`, `${field}"f"\n\n`, `${field}"f"\r\n`],
  ...[255, 256, 257].map(long)
)
const body = fc.array(piece, { maxLength: 12 }).map(pieces => `--edge\r\n${pieces.join('')}`)

test('a body is read after many others as it is by who has read none', async t => {
  const seen = await fresh()
  let headers = 0
  await fc.assert(
    fc.asyncProperty(
      body,
      fc.array(fc.nat(400), { maxLength: 3 }),
      fc.constantFrom(9, 12, 255, 256, 257, 16_384),
      async (text, cuts, most) => {
        const at = [0, ...cuts.map(cut => cut % text.length).sort((a, b) => a - b), text.length]
        const pieces = at.slice(1).map((end, i) => text.slice(at[i], end))
        const wanted = said(await fresh(), pieces, most)
        if (wanted.includes('part end')) headers++
        // what the first reading has remembered, the second finds
        for (let i = 0; i < 2; i++) t.is(said(seen, pieces, most), wanted)
        t.is(said(seen, [text], most), wanted)
      }
    ),
    { numRuns: 400 }
  )
  t.true(headers > 50, `${headers} bodies had parts`)
})

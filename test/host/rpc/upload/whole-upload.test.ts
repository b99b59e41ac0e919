/** The two ways of reading an upload say the same of every body. */
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import type { Body, BodyPart } from '../../../../core/index.ts'
import { Upload } from '../../../../host/rpc/upload/upload.ts'
import { hasCome, WholeUpload } from '../../../../host/rpc/upload/whole-upload.ts'
import { uploads } from './bodies.ts'

const limits = { parts: 4, partHeaderBytes: 300, bodyTimeoutMs: 0 }

function request(pieces: readonly Buffer[]): IncomingMessage {
  const message = Object.assign(new Readable({ read() {} }), { headers: { 'transfer-encoding': 'chunked' }, complete: false })
  for (const piece of pieces) if (piece.length > 0) message.push(piece)
  message.push(null)
  return Object.assign(message, { complete: true }) as unknown as IncomingMessage
}

const flowing = (pieces: readonly Buffer[]) => new Upload(request(pieces), new EventEmitter() as ServerResponse, 'edge', limits)
const come = (pieces: readonly Buffer[]) => new WholeUpload(request(pieces), 'edge', limits)

const textOf = (error: unknown) => `!${(error as { code?: string }).code} ${(error as Error).message}`

async function bytesOf(part: BodyPart, lent: boolean): Promise<string> {
  let said = ''
  try {
    for await (const bytes of part.bytes({ lent })) said += Buffer.from(bytes).toString('latin1')
  } catch (error) {
    said += textOf(error)
  }
  return said
}

type How = 'read' | 'lent' | 'skipped' | 'begun'

/** All that a reader learns of a body; it asks for more than there is, too. */
async function told(body: Body, how: How): Promise<readonly unknown[]> {
  const said: unknown[] = []
  const parts = body[Symbol.asyncIterator]()
  let before: BodyPart | undefined
  for (let ends = 0; ends < 3; ) {
    const step = await parts.next().catch((error: unknown) => ({ done: true as const, value: textOf(error) }))
    if (step.done === true) {
      said.push(step.value ?? 'end')
      ends++
      continue
    }
    const part: BodyPart = step.value
    const { path, kind, headers, absPath, metadata } = part
    said.push({ path, kind, headers: { ...headers }, absPath, metadata })
    if (how === 'begun')
      await part
        .bytes()
        [Symbol.asyncIterator]()
        .next()
        .catch(() => {})
    else if (how !== 'skipped') said.push(await bytesOf(part, how === 'lent'), await bytesOf(part, how === 'lent'))
    if (before !== undefined) said.push(await bytesOf(before, false))
    before = how === 'begun' ? undefined : part
  }
  return said
}

for (const [what, text] of uploads) {
  test(`${what}: a body that has come whole says what one says that flows in`, async t => {
    const body = Buffer.from(text, 'latin1')
    for (const how of ['read', 'lent', 'skipped', 'begun'] as const) {
      const expected = await told(flowing([body]), how)
      t.deepEqual(await told(come([body]), how), expected, how)
      for (let cut = 1; cut < body.length; cut++) {
        // a copy: lent memory is taken back
        const pieces = () => [Buffer.from(body.subarray(0, cut)), Buffer.from(body.subarray(cut))]
        t.deepEqual(await told(come(pieces()), how), expected, `${how}, in two at ${cut}`)
        if (how !== 'begun') t.deepEqual(await told(flowing(pieces()), how), expected, `${how}, flowing in two at ${cut}`)
      }
    }
  })
}

/** The bodies of one part with which nothing is wrong. */
const ALONE = [
  'a file',
  'an empty file',
  'metadata',
  'line feeds alone',
  'text before and after',
  'boundaries that go on',
  'the end behind a boundary'
]

test('the only part of a body that came whole is the one that reading gives, and there is none where more comes or something is wrong', async t => {
  const alone: string[] = []
  for (const [what, text] of uploads) {
    const bodies = () => come([Buffer.from(text, 'latin1')])
    const { only } = bodies()
    if (only === undefined) continue
    alone.push(what)
    const { path, kind, headers, absPath, metadata } = only
    const bytes = await bytesOf(only, false)
    t.deepEqual(
      [{ path, kind, headers: { ...headers }, absPath, metadata }, bytes, '', 'end', 'end', 'end'],
      await told(bodies(), 'read'),
      what
    )
  }
  t.deepEqual(alone, ALONE)
})

test('a part that came whole has its bytes in one piece too, unless they are none of a file or not as they were sent', async t => {
  const wholes: Record<string, string | undefined> = {}
  for (const [, text] of uploads.slice(0, 10)) {
    try {
      for await (const part of come([Buffer.from(text, 'latin1')])) {
        if (part.whole !== undefined) t.is(Buffer.from(part.whole).toString('latin1'), await bytesOf(part, false))
        wholes[`${part.path} ${part.kind}`] = part.whole && Buffer.from(part.whole).toString('latin1')
      }
    } catch {
      // what is wrong with it is the subject above
    }
  }
  t.like(wholes, { '/l symlink': 'a', '/d directory': undefined, '/q file': undefined })
})

test('a part whose end is missing does not come whole', async t => {
  for await (const part of come([Buffer.from('--edge\r\nContent-Disposition: form-data; filename=a\r\n\r\nhalf')])) {
    t.is(part.whole, undefined)
    t.is(await bytesOf(part, false), 'half!E_UNEXPECTED_EOF unexpected EOF')
    break
  }
})

test('who waits to be told to go on, and what is not complete, has not come whole', t => {
  const message = (complete: boolean, headers: Record<string, string>) => ({ complete, headers }) as unknown as IncomingMessage
  t.true(hasCome(message(true, { 'transfer-encoding': 'chunked' })))
  t.false(hasCome(message(false, { 'transfer-encoding': 'chunked' })))
  t.false(hasCome(message(true, { expect: '100-continue' })))
})

test('a request that came whole comes to its end like one that is read', async t => {
  const message = request([Buffer.from('--edge\r\nContent-Disposition: form-data; filename=a\r\n\r\none\r\n--edge--')])
  let ended = false
  message.on('end', () => {
    ended = true
  })
  for await (const part of new WholeUpload(message, 'edge', limits)) t.is(await bytesOf(part, false), 'one')
  await setImmediate()
  t.true(ended)
})

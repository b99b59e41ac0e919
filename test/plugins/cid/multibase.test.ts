import test from 'ava'
import fc from 'fast-check'
import { multibases } from '../../../core/cid/bases.ts'
import type { Body } from '../../../core/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { cidHost, type Host, type Sent, upload } from './helpers.ts'

async function started(t: { teardown(fn: () => void): void }, settings = {}): Promise<Host> {
  const host = await cidHost(settings)
  t.teardown(() => host.stop())
  return host
}

async function answer(host: Host, path: string, options: Record<string, unknown>, ...sent: Sent[]): Promise<Buffer> {
  return Buffer.concat(await itemsOf<Uint8Array>(await host.call(path, { options, body: upload(...sent) })))
}

test('base64url is the base when none is named', async t => {
  const host = await started(t)
  t.is((await answer(host, 'multibase/encode', {}, { chunks: ['hello'] })).toString(), 'uaGVsbG8')
  t.is((await answer(host, 'multibase/transcode', {}, { chunks: ['f68656c6c6f'] })).toString(), 'uaGVsbG8')
  t.is((await answer(host, 'multibase/decode', {}, { chunks: ['f68656c', '6c6f'] })).toString(), 'hello')
})

test('bytes that come in any pieces go through every base and back', async t => {
  const host = await started(t)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...multibases),
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 6 }),
      async (base, chunks) => {
        const text = await answer(host, 'multibase/encode', { b: base.name }, { chunks })
        t.true(text.toString().startsWith(base.prefix))
        t.deepEqual(await answer(host, 'multibase/decode', {}, { chunks: [text] }), Buffer.concat(chunks))
      }
    ),
    { numRuns: 100 }
  )
})

test('a long input leaves in pieces, as it comes', async t => {
  const host = await started(t)
  const chunk = Buffer.alloc(100_001, 7)
  const body = upload({ chunks: [chunk, chunk, chunk] })
  const pieces = await itemsOf<Uint8Array>(await host.call('multibase/encode', { options: { b: 'base64pad' }, body }))
  t.true(pieces.length > 2)
  t.is(Buffer.concat(pieces).toString(), `M${Buffer.concat([chunk, chunk, chunk]).toString('base64')}`)
})

test('only the first file counts, and a symbolic link is its target', async t => {
  const host = await started(t)
  t.is((await answer(host, 'multibase/decode', {}, { chunks: ['f00'] }, { path: '/g', chunks: ['f01'] })).toString('hex'), '00')
  t.is((await answer(host, 'multibase/decode', {}, { kind: 'symlink', chunks: ['f00'] })).toString('hex'), '00')
})

const missing = 'failed to access file: expected a file argument'
const folder = 'failed to access file: file argument was nil'
for (const [what, sent, message] of [
  ['nothing', [], missing],
  ['a part without a path', [{ path: '' }], missing],
  ['a folder', [{ path: '/d', kind: 'directory' }], folder],
  ['a file in a folder', [{ path: '/d/f', chunks: ['f00'] }], folder]
] as ReadonlyArray<[string, Sent[], string]>) {
  test(`${what} is no file to work with`, async t => {
    const host = await started(t)
    for (const path of ['encode', 'decode', 'transcode']) {
      t.is((await t.throwsAsync(answer(host, `multibase/${path}`, {}, ...sent))).message, message)
    }
  })
}

test('an upload that breaks off fails in the words of the reference', async t => {
  const host = await started(t)
  const failing = async function* (): AsyncGenerator<never> {
    throw new Error('unexpected EOF')
  }
  const cut = async function* () {
    yield { path: '/f', kind: 'file' as const, headers: {}, bytes: failing }
  }
  const call = async (body: Body) => itemsOf(await host.call('multibase/encode', { body }))
  t.is((await t.throwsAsync(call(failing()))).message, 'failed to access file: unexpected EOF')
  t.is((await t.throwsAsync(call(cut()))).message, 'failed to read file contents: unexpected EOF')
})

test('what cannot be decoded is said with the reason', async t => {
  const host = await started(t)
  const error = await t.throwsAsync(answer(host, 'multibase/decode', {}, { chunks: ['f6865z'] }))
  t.is(error.message, "failed to decode multibase: encoding/hex: invalid byte: U+007A 'z'")
  t.is(
    (await t.throwsAsync(answer(host, 'multibase/transcode', { b: 'x' }, { chunks: ['nope'] }))).message,
    'unsupported multibase encoding: x'
  )
  t.is((await t.throwsAsync(answer(host, 'multibase/encode', { b: '' }, { chunks: ['x'] }))).message, 'empty multibase encoding')
})

test('texts beyond the limit of the settings are not decoded', async t => {
  const host = await started(t, { maxInput: 5 })
  t.is((await answer(host, 'multibase/decode', {}, { chunks: ['f0000'] })).length, 2)
  await t.throwsAsync(answer(host, 'multibase/decode', {}, { chunks: ['f00', '000'] }), { code: 'E_MULTIBASE_INPUT' })
})

test('a base that is one big number has a limit', async t => {
  const host = await started(t)
  await t.throwsAsync(answer(host, 'multibase/encode', { b: 'base58btc' }, { chunks: [Buffer.alloc(131_073)] }), {
    code: 'E_MULTIBASE_LENGTH'
  })
  await t.throwsAsync(answer(host, 'multibase/decode', {}, { chunks: ['z', Buffer.alloc(131_073, '1')] }), { code: 'E_MULTIBASE_LENGTH' })
})

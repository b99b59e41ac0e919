import test from 'ava'
import { multibaseByName } from '../../../core/cid/bases.ts'
import { parseCid } from '../../../core/cid/parse.ts'
import { goJsonString } from '../../../core/go/json.ts'
import { itemsOf } from '../../../host/testing.ts'
import { formatCid } from '../../../plugins/cid/format.ts'
import { cidHost } from './helpers.ts'

const v0 = 'QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n'
const raw = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const blake = 'bafykbzaceaptbcs7ik5mdfpot3b4ackvxlwh7loc5jcrtkayf64ukl7zyk46e'

interface Line {
  CidStr: string
  Formatted: string
  ErrorMsg: string
}

async function formatted(t: { teardown(fn: () => void): void }, args: string[], options: Record<string, unknown> = {}): Promise<string[]> {
  const host = await cidHost()
  t.teardown(() => host.stop())
  const lines = await itemsOf<Line>(await host.call('cid/format', { args, options }))
  return lines.map(({ Formatted, ErrorMsg }) => ErrorMsg || Formatted)
}

test('every verb says what it stands for', t => {
  const [zero, one] = [parseCid(v0), parseCid(blake)]
  const z = multibaseByName('base58btc')
  t.is(formatCid('%b-%B-%v-%V-%c-%C-%h-%H-%L', z, zero), 'base58btc-z-cidv0-0-dag-pb-112-sha2-256-18-32')
  t.is(formatCid('%P', z, one), 'cidv1-dag-pb-blake2b-256-32')
  t.is(formatCid('%s|%S|%m|%M', z, zero), `${v0}|${v0}|z${v0}|${v0}`)
  t.is(formatCid('%d|%D', z, zero), 'zGKot5hBsd81kMupNCXHaqbhv3huEbxAFMLnpcX2hniwn|GKot5hBsd81kMupNCXHaqbhv3huEbxAFMLnpcX2hniwn')
  t.is(formatCid('é%%🚀', z, zero), 'é%🚀')
})

test('without its first byte an emoji prefix is no text any more', t => {
  const emoji = multibaseByName('base256emoji')
  t.regex(goJsonString(formatCid('%B', emoji, parseCid(raw))), /^"\\ufffd"$/)
  t.regex(goJsonString(formatCid('%M', emoji, parseCid(raw))), /^"\\ufffd\\ufffd\\ufffd\S/)
})

test('an unknown codec and an unknown hash are shown by number', t => {
  const cid = parseCid('f01ffff03cdae0100')
  t.is(formatCid('%c %h %P', multibaseByName('f'), cid), 'Code(65535) hash?22349 cidv1-Code(65535)-hash?22349-0')
})

test('the version follows the base, the codec is changed on request', async t => {
  t.deepEqual(await formatted(t, [v0, raw]), [v0, raw])
  t.deepEqual(await formatted(t, [v0], { v: '1' }), ['zdj7Wkkhxcu2rsiN6GUyHCLsSLL47kdUNfjbFqBUUhMFTZKBi'])
  t.deepEqual(await formatted(t, [v0], { b: 'base32' }), ['bafybeihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'])
  t.deepEqual(await formatted(t, [v0], { mc: 'raw' }), ['zb2rhmy65F3REf8SZp7De11gxtECBGgUKaLdiDj7MCGCHxbDW'])
  t.deepEqual(await formatted(t, ['bafybeihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'], { v: '0' }), [v0])
})

test('one bad CID does not keep the others back', async t => {
  t.deepEqual(await formatted(t, ['nope', raw, ''], { v: '0' }), [
    'invalid cid: selected encoding not supported',
    "can't convert non-dag-pb nodes to cidv0",
    'invalid cid: cid too short'
  ])
})

test('a hash that version 0 cannot have is named instead of breaking off', async t => {
  t.deepEqual(await formatted(t, [blake, v0], { v: '0' }), [
    "can't convert a CID with blake2b-256 of 32 bytes to cidv0, which has sha2-256 of 32 bytes",
    v0
  ])
})

for (const [options, message] of [
  [{ f: 'plain' }, 'invalid format string: "plain"'],
  [{ f: '%' }, 'premature end of format string'],
  [{ f: '%5s' }, 'unrecognized specifier in format string: %5'],
  [{ v: '2' }, 'invalid cid version: "2"'],
  [{ v: '0', mc: 'raw' }, 'cannot convert to CIDv0 with any codec other than dag-pb'],
  [{ v: '0', b: 'z' }, 'cannot convert to CIDv0 with any multibase other than the implicit base58btc'],
  [{ mc: 'RAW' }, 'unknown multicodec: "RAW"'],
  [{ b: 'base8' }, 'unsupported multibase encoding: base8']
] as const) {
  test(`a call with ${JSON.stringify(options)} fails as a whole`, async t => {
    t.is((await t.throwsAsync(formatted(t, [v0], options))).message, message)
  })
}

test('cid/base32 writes version 1 in base32', async t => {
  const host = await cidHost()
  t.teardown(() => host.stop())
  t.deepEqual(await itemsOf(await host.call('cid/base32', { args: [v0, 'x'] })), [
    { CidStr: v0, Formatted: 'bafybeihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku', ErrorMsg: '' },
    { CidStr: 'x', Formatted: '', ErrorMsg: 'invalid cid: cid too short' }
  ])
})

test('a format makes only so much of one CID', async t => {
  const host = await cidHost({ maxFormatted: 100 })
  t.teardown(() => host.stop())
  const long = 'the format makes more than 100 characters of one CID; the setting is plugins.cid.maxFormatted'
  t.deepEqual(await itemsOf(await host.call('cid/format', { args: [v0, v0], options: { f: '%s%s' } })), [
    { CidStr: v0, Formatted: v0 + v0, ErrorMsg: '' },
    { CidStr: v0, Formatted: v0 + v0, ErrorMsg: '' }
  ])
  t.deepEqual(await itemsOf(await host.call('cid/format', { args: [v0], options: { f: '%s%s%s' } })), [
    { CidStr: v0, Formatted: '', ErrorMsg: long }
  ])
})

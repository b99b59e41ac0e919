import test from 'ava'
import { hashByName } from '../../../../core/cid/hashes.ts'
import { cidToString } from '../../../../core/cid/parse.ts'
import { imported, type Options, rootOf, uploadOf } from './upload.ts'

const planets: Array<[string, string]> = [
  ['planets/mars.txt', 'Hello Mars!\n'],
  ['planets/venus.txt', 'Hello Venus!\n']
]

async function named(parts: Parameters<typeof uploadOf>[0], options?: Partial<Options>): Promise<string> {
  return cidToString(await rootOf(uploadOf(parts), options))
}

test("the reference's own vectors: files", async t => {
  t.is(await named([['f', 'Hello Worlds!\n']]), 'QmVr26fY1tKyspEJBniVhqxQeEjhF78XerGiqWAwraVLQH')
  t.is(await named([['f', 'Hello Neptune!\nHello Pluton!']]), 'QmZDhWpi8NvKrekaYYhxKCdNVGWsFFe1CREnAjP1QbPaB3')
  t.is(await named([['f', '']]), 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH')
  const raw = { rawLeaves: true, cidVersion: 1 } as const
  t.is(await named([['f', '']], raw), 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')
})

test("the reference's own vectors: a folder", async t => {
  t.is(await named([['d', null]]), 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
  t.is(await named(planets), 'QmWSgS32xQEcXMeqd3YPJLrNBLSdsfYCep2U7CFkyrjXwY')
  t.is(await named(planets, { rawLeaves: true }), 'QmfWfQfKCY5Ukv9peBbxM5vqWM9BzmqUSXvdCgjT2wsiBT')
  const one = await named(planets, { rawLeaves: true, cidVersion: 1 })
  t.is(one, 'bafybeih7e5dmkyk25up5vxug4q3hrg2fxbzf23dfrac2fns5h7z4aa7ioi')
  t.is(await named(planets, { cidVersion: 1 }), 'bafybeif5tuep5ap2d7zyhbktucey75aoacxufgt6i3v4gebmixyipnyp7y')
  const blake = await named(planets, { rawLeaves: true, cidVersion: 1, hash: hashByName('blake2b-256')! })
  t.is(blake, 'bafykbzaceaptbcs7ik5mdfpot3b4ackvxlwh7loc5jcrtkayf64ukl7zyk46e')
})

test("the reference's own vectors: 2,000 files in a folder, and in a sharded one", async t => {
  const files = Array.from({ length: 2000 }, (_, i): [string, string] => [`d/file${i + 1}`, `${i + 1}\n`])
  t.is(await named(files), 'QmavrTrQG4VhoJmantURAYuw3bowq3E2WcvP36NRQDAC1N')
  t.is(await named(files, { shardingThreshold: 1 }), 'QmSCJD1KYLhVVHqBK3YyXuoEqHt7vggyJhzoFYbT8v1XYL')
})

test('a folder is sharded from the threshold on, by the bytes of its names and CIDs', async t => {
  const files: Array<[string, string]> = [
    ['d/a', 'a'],
    ['d/é', 'b']
  ]
  const size = 1 + 34 + 2 + 34
  const basic = await named(files, { shardingThreshold: size + 1 })
  t.is(basic, await named(files))
  t.not(await named(files, { shardingThreshold: size }), basic)
})

test('nothing to import is an error, unless it is wrapped', async t => {
  t.is((await imported(uploadOf([]))).error, 'expected a file argument')
  t.is(cidToString(await rootOf(uploadOf([]), { wrap: true })), 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
})

test('hash functions that a node must not use are refused with the first block', async t => {
  const { events, error } = await imported(uploadOf(planets), { cidVersion: 1, hash: hashByName('md5')! })
  t.deepEqual(
    events.filter(({ type }) => type !== 'progress'),
    []
  )
  t.is(error, 'potentially insecure hash functions not allowed')
})

test('a chunker that cannot be is only an error once there is a file', async t => {
  t.is((await imported(uploadOf([['d', null]]), { chunker: 'foo' })).error, undefined)
  t.is((await imported(uploadOf([['d/f', '']]), { chunker: 'foo' })).error, 'unrecognized chunker option: foo')
})

test('blocks that are too long to stand in their CIDs are refused before they pile up', async t => {
  const { error } = await imported(uploadOf([['f', Buffer.alloc(65_537)]]), { cidVersion: 1, hash: 0 })
  t.regex(error!, /^a block of 65551 bytes cannot stand in its own CID/)
})

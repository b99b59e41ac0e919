import test from 'ava'
import { writePb } from '../../../core/dag/pb-write.ts'
import { encodeUtf8 } from '../../../core/go/utf8.ts'
import { ls } from '../../../plugins/content/commands/ls.ts'
import type { LsOutput } from '../../../plugins/content/listing.ts'
import { unixfs } from '../../core/unixfs/export/blocks.ts'
import { itemsUntilError } from '../../helpers/streams.ts'
import { contentHost } from './helpers.ts'

type Links = LsOutput['Objects'][0]['Links']

test('ls tells the type, size and target of each entry', async t => {
  const { host, at } = await contentHost(t)
  const folder = `/ipfs/${at.folder}`
  t.deepEqual(await host.call('ls', { args: [folder, String(at.text)] }), {
    Objects: [
      {
        Hash: folder,
        Links: [
          { Name: 'large', Hash: String(at.large), Size: 90_000, Type: 2, Target: '' },
          { Name: 'link', Hash: String(at.link), Size: 5, Type: 4, Target: 'large' },
          { Name: 'sub', Hash: String(at.sub), Size: 0, Type: 1, Target: '' },
          { Name: 'text', Hash: String(at.text), Size: 5, Type: 2, Target: '' }
        ]
      },
      { Hash: String(at.text), Links: [] }
    ]
  })
})

test('ls loads no entry when nobody wants its type or size', async t => {
  const { host, blocks, at } = await contentHost(t)
  blocks.asked.length = 0
  const options = { resolveType: false, size: false }
  const { Objects } = (await host.call('ls', { args: [String(at.large), String(at.folder)], options })) as LsOutput
  t.deepEqual(
    Objects.map(({ Links }) => Links.map(({ Type, Size }) => [Type, Size])),
    [
      [
        [2, 30_000],
        [2, 30_000],
        [2, 30_000]
      ],
      [
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 0]
      ]
    ]
  )
  t.deepEqual(blocks.asked, [String(at.large), String(at.folder)])
})

test('ls sends entries one by one on request, up to the one that is missing', async t => {
  const { host, blocks, at } = await contentHost(t)
  blocks.delete(at.sub)
  const { items, error } = await itemsUntilError<LsOutput>(host.call('ls', { args: [String(at.folder)], options: { stream: true } }))
  t.deepEqual(
    items.map(({ Objects }) => Objects[0]!.Links.map(link => link.Name)),
    [['large'], ['link']]
  )
  t.is(error, `block was not found locally (offline): ipld: could not find ${at.sub}`)
  await t.throwsAsync(host.call('ls', { args: [String(at.folder)] }), { message: error })
})

test('ls sorts by the bytes of names, those that are no UTF-8 among them', async t => {
  const { host, blocks, at } = await contentHost(t)
  const names = ['\u{1f600}', '\uff5e', 'a', 'é', '\udc80', 'B', 'ab']
  const links = names.map(name => ({ name: encodeUtf8(name), cid: at.text.bytes, size: 1 }))
  const folder = await blocks.add(0x70, writePb(links, unixfs({ type: 1 })))
  const { Objects } = (await host.call('ls', { args: [String(folder)] })) as LsOutput
  t.deepEqual(
    Objects[0]!.Links.map(link => link.Name),
    ['B', 'a', 'ab', '\udc80', 'é', '\uff5e', '\u{1f600}']
  )
})

function written(Objects: LsOutput['Objects'], options: Record<string, unknown> = {}): string {
  const call = { args: { ipfsPath: Objects.map(({ Hash }) => Hash) }, options: { size: true, ...options } }
  return (ls.text as (item: unknown, call: unknown) => string)({ Objects }, call)
}

const links: Links = [
  { Name: 'a', Hash: 'Qm1', Size: 12345, Type: 2, Target: '' },
  { Name: 'd\n\\"', Hash: 'Qm22', Size: 0, Type: 1, Target: '' },
  { Name: 'é', Hash: 'Qm3', Size: 1, Type: 0, Target: '' }
]

test('a listing has fitted columns, folders a slash and no size, and nothing that would disturb a terminal', t => {
  t.is(written([{ Hash: 'x', Links: links }]), 'Qm1  12345 a\nQm22 -     d\\n\\\\"/\nQm3  1     é\n')
  t.is(written([{ Hash: 'x', Links: links }], { size: false }), 'Qm1  a\nQm22 d\\n\\\\"/\nQm3  é\n')
  t.is(written([{ Hash: 'x', Links: links.slice(0, 1) }], { headers: true }), 'Hash Size  Name\nQm1  12345 a\n')
})

test('several folders are told apart, but not where entries come one by one', t => {
  const Objects = [
    { Hash: 'x', Links: links.slice(0, 1) },
    { Hash: 'y', Links: [] },
    { Hash: 'z', Links: links.slice(2) }
  ]
  t.is(written(Objects), 'x:\nQm1 12345 a\n\ny:\n\nz:\nQm3 1 é\n')
  t.is(written(Objects.slice(0, 1), { stream: true, headers: true }), 'Qm1       12345     a\n')
})

import test from 'ava'
import { cidToString } from '../../../../core/cid/parse.ts'
import { importTree } from '../../../../core/unixfs/import/tree.ts'
import { defaults, imported, inPieces, MapStore, partOf, rootOf, uploadOf } from './upload.ts'

const names = (events: Awaited<ReturnType<typeof imported>>['events']) =>
  events.flatMap(event => (event.type === 'progress' ? [] : [event.name]))

test('folders that are met again inside an entry are one folder', async t => {
  const mixed = await rootOf(
    uploadOf([
      ['d/a/1', '1'],
      ['d/b/1', '1'],
      ['d/a/2', '2']
    ])
  )
  const sorted = await rootOf(
    uploadOf([
      ['d/a/1', '1'],
      ['d/a/2', '2'],
      ['d/b/1', '1']
    ])
  )
  t.is(cidToString(mixed), cidToString(sorted))
})

test('directories are told after those in them, in the order in which they are listed', async t => {
  const parts = ['z/q/1', 'z/p/1', 'a/1', 'é/1', 'B/1'].map(path => [`d/${path}`, path] as const)
  const directories = async (shardingThreshold: number) =>
    names((await imported(uploadOf(parts), { shardingThreshold })).events).filter(name => !name.endsWith('1'))
  t.deepEqual(await directories(1_000_000), ['d/B', 'd/a', 'd/z/p', 'd/z/q', 'd/z', 'd/é', 'd'])
  const sharded = await directories(1)
  t.deepEqual(sharded.toSorted(), (await directories(1_000_000)).toSorted())
  t.true(sharded.indexOf('d/z/p') < sharded.indexOf('d/z'))
})

test('a name that is taken ends the import: by a file, by a folder, and a file by a folder', async t => {
  const error = async (...paths: string[]) => (await imported(uploadOf(paths.map(path => [path, path] as const)))).error
  t.is(await error('d/a', 'd/a'), 'directory already has entry by that name')
  t.is(await error('d/a/b', 'd/a'), 'directory already has entry by that name')
  t.is(await error('d/a', 'd/b', 'd/a/c'), 'file already exists')
  t.is(await error('a', 'a'), undefined)
})

test('an unnamed folder is one only at the top', async t => {
  const folder = partOf('', 'directory', [])
  const once = async function* () {
    yield folder
    yield partOf('a', 'file', 'a\n')
  }
  t.deepEqual(names((await imported(once())).events), ['a', ''])
  t.is((await imported(once(), { wrap: true })).error, 'no path given to Mkdir')
})

test('a path of thousands of names becomes as many folders', async t => {
  const { events, error } = await imported(uploadOf([[`${'n/'.repeat(3000)}end`, 'deep']]))
  t.is(error, undefined)
  t.is(events.filter(event => event.type === 'directory').length, 3000)
})

test('the end of a file is told as often as the reference meets it', async t => {
  const told = async (size: number, layout: 'balanced' | 'trickle') => {
    const { events } = await imported(uploadOf([['f', inPieces(Buffer.alloc(size), 100)]]), { chunker: 'size-1', layout })
    return events.filter(event => event.type === 'progress').length
  }
  // A balanced tree looks once for each node on its right edge that has room, and once at the top.
  t.deepEqual(await Promise.all([0, 1, 2, 174, 175, 174 * 174].map(size => told(size, 'balanced'))), [1, 1, 2, 1, 3, 1])
  // A trickle tree looks where a leaf, and where a subtree could follow, up to its root.
  t.deepEqual(await Promise.all([0, 1, 174, 175, 174 * 5, 174 * 6].map(size => told(size, 'trickle'))), [2, 2, 1, 3, 1, 3])
})

test('a chunk that falls short has met the end, however the tree looks', async t => {
  const { events } = await imported(uploadOf([['f', Buffer.alloc(2001)]]), { chunker: 'size-1000' })
  t.is(events.filter(event => event.type === 'progress').length, 1)
})

test('how far a file has come is not told to who does not ask for it, and all else is', async t => {
  const upload = () => uploadOf([['f', Buffer.alloc(600_000)]])
  const [asked, unasked] = [await imported(upload()), await imported(upload(), { progress: false })]
  t.is(asked.events.filter(event => event.type === 'progress').length, 3)
  t.deepEqual(
    unasked.events,
    asked.events.filter(event => event.type !== 'progress')
  )
})

test('an upload that breaks off inside a file ends that file, as the reference has it', async t => {
  const cut = async function* () {
    yield Buffer.from('half')
    throw Object.assign(new Error('unexpected EOF'), { code: 'E_UNEXPECTED_EOF' })
  }
  const half = await rootOf(uploadOf([['f', cut()]]))
  t.is(cidToString(half), 'QmUViZecAJt71QpQ5ixodrFjZheyT9eoxokZ93da7hm4ir')
})

test('who stops listening lets go of the upload', async t => {
  let left = false
  const body = (async function* () {
    try {
      for (let i = 0; ; i++) yield partOf(`d/${i}`, 'file', 'x')
    } finally {
      left = true
    }
  })()
  for await (const event of importTree(body, { store: new MapStore(), sharding: { threshold: 1, estimation: 'links' } }, defaults))
    if (event.type === 'file') break
  t.true(left)
})

test('a lone file has a folder around it in the store, and empty folders are stored, as the reference leaves them', async t => {
  const store = new MapStore()
  await rootOf(uploadOf([['f', 'a\n']]), {}, store)
  t.is(store.blocks.size, 2)
  const folders = new MapStore()
  await rootOf(uploadOf([['d/e/f', 'a\n']]), {}, folders)
  t.true(folders.blocks.has('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'))
})

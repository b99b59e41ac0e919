import test, { type ExecutionContext } from 'ava'
import type { CID } from 'multiformats/cid'
import { cidToString } from '../../../core/cid/parse.ts'
import { type AnyProvision, Blocks, type Body, Mfs, Pins, Repo, ready } from '../../../core/index.ts'
import { testHost } from '../../../host/testing.ts'
import { addedLines } from '../../../plugins/content/add-lines.ts'
import content from '../../../plugins/content/index.ts'
import dag from '../../../plugins/dag/index.ts'
import { MapStore, partOf, uploadOf } from '../../core/unixfs/import/upload.ts'
import { itemsUntilError } from '../../helpers/streams.ts'

interface Event {
  Name: string
  Hash?: string
  Bytes?: number
  Size?: string
}

const planets: Array<[string, string]> = [
  ['planets/mars.txt', 'Hello Mars!\n'],
  ['planets/venus.txt', 'Hello Venus!\n']
]
const PLANETS = 'QmWSgS32xQEcXMeqd3YPJLrNBLSdsfYCep2U7CFkyrjXwY'

/** A host that keeps blocks in a map and notes what is pinned, and which blocks there were then. */
async function addHost(t: ExecutionContext, services: readonly AnyProvision[] = []) {
  const store = new MapStore()
  const pinned: Array<{ cid: string; blocks: number }> = []
  const pins = {
    async addWritten(cid: CID) {
      pinned.push({ cid: cidToString(cid), blocks: store.blocks.size })
    }
  }
  const host = await testHost({
    builtIns: false,
    plugins: [dag, content],
    services: [ready(Blocks, store as unknown as Blocks), ready(Pins, pins as unknown as Pins), ...services]
  })
  t.teardown(() => host.stop())
  const add = (body: Body, options: Record<string, unknown> = {}, signal?: AbortSignal) =>
    itemsUntilError<Event>(host.call('add', { body, options, signal }))
  return { host, store, pinned, add }
}

test('an add tells of files, then of the folder, and pins it before the end is told', async t => {
  const { host, store, pinned } = await addHost(t)
  const events: Event[] = []
  for await (const event of (await host.call('add', { body: uploadOf(planets) })) as AsyncIterable<Event>) {
    events.push(event)
    t.is(pinned.length, event.Name === 'planets' ? 1 : 0)
  }
  t.deepEqual(events, [
    { Name: 'planets/mars.txt', Hash: 'QmPrrHqJzto9m7SyiRzarwkqPcCSsKR2EB1AyqJfe8L8tN', Size: '20' },
    { Name: 'planets/venus.txt', Hash: 'QmU5kp3BH3B8tnWUU2Pikdb2maksBNkb92FHRr56hyghh4', Size: '21' },
    { Name: 'planets', Hash: PLANETS, Size: '146' }
  ])
  t.deepEqual(pinned, [{ cid: PLANETS, blocks: store.blocks.size }])
})

test('what is asked to be silent tells of folders and progress only', async t => {
  const { add } = await addHost(t)
  const names = async (options: Record<string, unknown>) =>
    (await add(uploadOf(planets), options)).items.map(({ Name, Bytes }) => [Name, Bytes])
  t.deepEqual(await names({ silent: true }), [['planets', undefined]])
  t.deepEqual(await names({ silent: true, progress: true }), [
    ['planets/mars.txt', 12],
    ['planets/venus.txt', 13],
    ['planets', undefined]
  ])
  t.deepEqual((await add(uploadOf([['f', '']]), { silent: true })).items, [])
})

test('every entry at the top is pinned by itself, a wrapper alone with all in it', async t => {
  const { add, pinned } = await addHost(t)
  const parts: Array<[string, string]> = [
    ['a', 'a\n'],
    ['d/b', 'b\n']
  ]
  const { items } = await add(uploadOf(parts))
  t.deepEqual(
    pinned.map(({ cid }) => cid),
    [items[0]!.Hash, items[2]!.Hash]
  )
  pinned.length = 0
  const wrapped = await add(uploadOf(parts), { wrapWithDirectory: true })
  t.deepEqual(
    pinned.map(({ cid }) => cid),
    [wrapped.items.at(-1)!.Hash]
  )
  t.is(wrapped.items.at(-1)!.Name, '')
})

test('only-hash neither stores nor pins, and pin=false does not pin', async t => {
  const { add, pinned, store } = await addHost(t)
  t.is((await add(uploadOf(planets), { onlyHash: true, pin: true })).items.at(-1)!.Hash, PLANETS)
  t.is(store.blocks.size, 0)
  t.is((await add(uploadOf(planets), { pin: false })).items.at(-1)!.Hash, PLANETS)
  t.true(store.blocks.has(PLANETS))
  t.deepEqual(pinned, [])
})

test('a file without a name goes by its CID, however CIDs are written', async t => {
  const { add } = await addHost(t)
  const unnamed = (async function* () {
    yield partOf('', 'file', 'unnamed\n')
  })()
  const { items } = await add(unnamed, { cidBase: 'base32', progress: true })
  t.deepEqual(items, [
    { Name: '', Bytes: 8 },
    {
      Name: 'Qmb5XhWxcHEhTWoQAvwCLGRSspAW8zsVGS8QpfZK3yvVUt',
      Hash: 'bafybeif5jbfj6sjsdl6nkafl4tbzk3tf3puznemfikeoudb34kiwzw4xze',
      Size: '16'
    }
  ])
})

const refused: Array<[options: Record<string, unknown>, message: string]> = [
  [{ hash: 'SHA9' }, 'unrecognized hash function: "sha9"'],
  [{ hash: '' }, 'unrecognized hash function: ""'],
  [{ onlyHash: true, toFiles: '/x' }, 'only-hash and to-files options are not compatible'],
  [{ cidVersion: 2 }, 'unknown CID version: 2'],
  [{ cidVersion: -2, hash: 'blake3' }, 'unknown CID version: -2'],
  [{ cidVersion: 0, hash: 'sha2-512' }, 'CIDv0 only supports sha2-256'],
  [{ nocopy: true, rawLeaves: false }, "nocopy option requires '--raw-leaves' to be enabled as well"],
  [{ chunker: 'foo' }, 'unrecognized chunker option: foo'],
  [{ hash: 'md5' }, 'potentially insecure hash functions not allowed'],
  [{ hash: 'x11' }, 'invalid cid: unknown multihash code 4352 (0x1100): no such hash registered'],
  [{ toFiles: '/x' }, "add: to-files needs the plugin 'mfs', which is not loaded on this node"]
]
for (const [options, message] of refused) {
  test(`add refuses ${JSON.stringify(options)} before it tells anything`, async t => {
    const { add, pinned } = await addHost(t)
    t.deepEqual(await add(uploadOf(planets), options), { items: [], error: message })
    t.deepEqual(pinned, [])
  })
}

test('references to files need their switch, and then their plugin', async t => {
  const repo = (enabled: boolean) =>
    ready(Repo, { get: (key: string) => (key === 'Experimental.FilestoreEnabled' ? enabled : undefined) } as Repo)
  const off = await addHost(t, [repo(false)])
  t.regex((await off.add(uploadOf(planets), { nocopy: true })).error!, /^either the filestore or the urlstore must be enabled/)
  const on = await addHost(t, [repo(true)])
  t.regex((await on.add(uploadOf(planets), { nocopy: true })).error!, /needs the plugin 'filestore'/)
})

test("the node's configuration says when a folder is sharded", async t => {
  const repo = { get: (key: string) => (key === 'Internal.UnixFSShardingSizeThreshold' ? '1B' : undefined) } as Repo
  const { add } = await addHost(t, [ready(Repo, repo)])
  t.not((await add(uploadOf(planets))).items.at(-1)!.Hash, PLANETS)
})

test('entries at the top are put into the mutable tree under the names they were sent with', async t => {
  const linked: unknown[] = []
  const mfs = {
    async link(path, name, cid, { first } = {}) {
      linked.push([path, name, cidToString(cid), first])
    }
  } as Mfs
  const { add } = await addHost(t, [ready(Mfs, mfs)])
  const { items } = await add(uploadOf([...planets, ['f', '']]), { toFiles: '/to/' })
  t.deepEqual(linked, [
    ['/to/', 'planets', PLANETS, true],
    ['/to/', 'f', items.at(-1)!.Hash, false]
  ])
})

test('an upload that breaks off leaves no root: neither pinned nor told', async t => {
  const { add, pinned } = await addHost(t)
  const broken = (async function* () {
    yield partOf('d/a', 'file', 'a\n')
    yield partOf('d/b', 'file', 'b\n')
    throw new Error('multipart: NextPart: EOF')
  })()
  const { items, error } = await add(broken)
  t.deepEqual(
    items.map(({ Name }) => Name),
    ['d/a', 'd/b']
  )
  t.is(error, 'multipart: NextPart: EOF')
  t.deepEqual(pinned, [])
})

test('a block that cannot be stored ends the add before its root is told', async t => {
  const { add, store, pinned } = await addHost(t)
  const put = store.put.bind(store)
  store.put = async (cid, bytes) => {
    if (store.blocks.size === 2) throw new Error('the disk is full')
    return put(cid, bytes)
  }
  const { items, error } = await add(uploadOf(planets))
  t.is(error, 'the disk is full')
  t.false(items.some(({ Name }) => Name === 'planets'))
  t.deepEqual(pinned, [])
})

test('what a caller who left has sent of a file becomes no root', async t => {
  const { add, pinned } = await addHost(t)
  const controller = new AbortController()
  const cut = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(300_000)
    controller.abort()
    throw Object.assign(new Error('unexpected EOF'), { code: 'E_UNEXPECTED_EOF' })
  }
  const { items, error } = await add(uploadOf([['f', cut()]]), {}, controller.signal)
  t.deepEqual(items, [])
  t.is(error, 'context canceled')
  t.deepEqual(pinned, [])
})

test('who leaves while a file is sent stops the add', async t => {
  const { add, pinned } = await addHost(t)
  const controller = new AbortController()
  let waiting: () => void
  const waited = new Promise<void>(resolve => {
    waiting = resolve
  })
  const stuck = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(300_000)
    waiting()
    await new Promise(() => {})
  }
  const adding = add(uploadOf([['f', stuck()]]), {}, controller.signal)
  await waited
  controller.abort()
  t.is((await adding).error, 'context canceled')
  t.deepEqual(pinned, [])
})

test('a terminal shows a line for each node, hashes alone, or the last hash alone', async t => {
  const events = async function* () {
    yield { Name: 'a', Bytes: 1 }
    yield { Name: 'a\n', Hash: 'QmA' }
    yield { Name: '', Hash: 'QmB' }
  }
  const lines = (options: Parameters<typeof addedLines>[1]) => itemsUntilError<string>(addedLines(events(), options))
  t.deepEqual((await lines({})).items, ['added QmA a\\n\n', 'added QmB \n'])
  t.deepEqual((await lines({ quiet: true })).items, ['QmA\n', 'QmB\n'])
  t.deepEqual((await lines({ quieter: true })).items, ['QmB\n'])
})

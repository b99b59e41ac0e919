import test from 'ava'
import { extract } from 'tar-stream'
import type { Body, BodyPart, Metadata } from '../../../core/index.ts'
import { newTree, type Tree } from '../mfs/helpers.ts'

interface Sent {
  readonly path: string
  readonly text?: string
  readonly metadata?: Metadata
}
interface Added {
  readonly Name: string
  readonly Hash: string
  readonly Mode?: string
  readonly Mtime?: bigint
}

async function* bodyOf(parts: readonly Sent[]): Body {
  for (const { path, text, metadata } of parts) {
    const kind: BodyPart['kind'] = text === undefined ? 'directory' : 'file'
    yield {
      path,
      kind,
      headers: {},
      metadata,
      async *bytes() {
        yield Buffer.from(text ?? '')
      }
    }
  }
}

async function add({ host }: Tree, parts: readonly Sent[], options: Readonly<Record<string, unknown>> = {}): Promise<Added[]> {
  const lines: Added[] = []
  for await (const line of (await host.call('add', { options, body: bodyOf(parts) })) as AsyncIterable<Added>) lines.push(line)
  return lines
}

async function entriesOf(tree: Tree, hash: string) {
  const pieces: Uint8Array[] = []
  for await (const piece of await tree.call<AsyncIterable<Uint8Array>>('get', [hash])) pieces.push(piece)
  const archive = extract()
  archive.end(Buffer.concat(pieces))
  const entries = new Map<string, { mode: number | undefined; mtime: number | undefined; exact: string | undefined }>()
  for await (const entry of archive) {
    const { name, mode, mtime, pax } = entry.header
    entries.set(name.replace(hash, ''), { mode, mtime: mtime?.getTime(), exact: (pax as Record<string, string> | undefined)?.['mtime'] })
    entry.resume()
  }
  return entries
}

const sent: readonly Sent[] = [
  { path: '/d', metadata: { mode: 0o750, mtime: { seconds: 1_600_000_000n, nanoseconds: 0 } } },
  { path: '/d/f', text: 'bytes', metadata: { mode: 0o4755, mtime: { seconds: 1_500_000_000n, nanoseconds: 500_000_000 } } }
]

test('modes and times that are sent and kept come back from ls and get', async t => {
  const tree = await newTree(t)
  const lines = await add(tree, sent, { preserveMode: true, preserveMtime: true })
  const { Hash, Mode, Mtime } = lines.at(-1)!
  t.deepEqual({ Mode, Mtime }, { Mode: '0750', Mtime: 1_600_000_000n })
  const { Objects } = await tree.call<{ Objects: [{ Links: [{ Mode: number; ModTime: string }] }] }>('ls', [Hash])
  t.is(Objects[0].Links[0].Mode, 0o755 | 0x80_0000)
  t.is(Objects[0].Links[0].ModTime, '2017-07-14T02:40:00.5Z')
  const entries = await entriesOf(tree, Hash)
  t.deepEqual(entries.get('')!, { mode: 0o750, mtime: 1_600_000_000_000, exact: undefined })
  t.deepEqual(entries.get('/f')!, { mode: 0o4755, mtime: 1_500_000_000_000, exact: '1500000000.5' })
})

test('what is sent and not asked for is not stored', async t => {
  const tree = await newTree(t)
  const plain = sent.map(({ path, text }) => ({ path, ...(text !== undefined && { text }) }))
  t.is((await add(tree, sent)).at(-1)!.Hash, (await add(tree, plain)).at(-1)!.Hash)
})

test('at the level of 0.28, ls of what has no mode and no time has no fields for them', async t => {
  const tree = await newTree(t)
  const [{ Hash }] = (await add(tree, [{ path: '/f', text: 'bytes' }], { wrapWithDirectory: true })).slice(-1) as [Added]
  const { Objects } = await tree.call<{ Objects: [{ Links: [object] }] }>('ls', [Hash])
  t.deepEqual(Object.keys(Objects[0].Links[0]), ['Name', 'Hash', 'Size', 'Type', 'Target'])
})

test('a file of nodes with less than two links, or with more than a block holds, is refused', async t => {
  const tree = await newTree(t)
  for (const maxFileLinks of [-1, 0, 1, 8193])
    await t.throwsAsync(add(tree, [{ path: '/f', text: 'bytes' }], { maxFileLinks }), { code: 'E_ADD_FILE_LINKS' })
})

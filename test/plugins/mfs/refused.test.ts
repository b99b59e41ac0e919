/** Changes of the tree that could not be kept, as on a full disk. */
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Blockstore, type Body, type BodyPart, Datastore } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { until } from '../../helpers/until.ts'
import { dataOf, newTree, type Tree, treeOf } from './helpers.ts'

interface Disk {
  isFull: boolean
  /** Whether what is written is there all the same, as where a sync fails. */
  isTorn: boolean
  /** Called before a record is refused, which waits for it. */
  refusing?(): Promise<void>
}

/** A tree with some entries, on a store whose disk can be full. */
async function stocked(t: ExecutionContext): Promise<{ tree: Tree; disk: Disk; again(): Promise<Tree> }> {
  const path = join(await temporaryFolder(t), 'repo')
  const open = async () => {
    const host = await createHost({ repo: { path, init: {} }, offline: 'a test' })
    t.teardown(() => host.stop())
    await host.start()
    return host
  }
  const host = await open()
  const tree = treeOf(host)
  for (const [name, text] of Object.entries({ a: 'content of a', b: 'content of b', rm: 'stays', 'd/y': 'y', 'k/x': 'x' })) {
    await tree.write(`/${name}`, text, { parents: true })
  }
  const disk: Disk = { isFull: false, isTorn: false }
  const datastore = host.service(Datastore)!
  const put = datastore.put.bind(datastore)
  datastore.put = async (key, value, options) => {
    const isRecord = key.toString().startsWith('/local/mfs/')
    if (isRecord && disk.isFull && !disk.isTorn) {
      await disk.refusing?.()
      throw new Error('no space left')
    }
    const result = await put(key, value, options)
    if (isRecord && disk.isFull) throw new Error('no space left')
    return result
  }
  const batch = datastore.batch.bind(datastore)
  datastore.batch = () => {
    const made = batch()
    const commit = made.commit.bind(made)
    made.commit = async options => {
      if (disk.isFull) throw new Error('no space left')
      return commit(options)
    }
    return made
  }
  return {
    tree,
    disk,
    async again() {
      await host.stop()
      return treeOf(await open())
    }
  }
}

const REFUSED: ReadonlyArray<readonly [what: string, command: (tree: Tree) => Promise<unknown>]> = [
  ['mv over a file', tree => tree.call('files/mv', ['/a', '/b'])],
  ['mv to a new name', tree => tree.call('files/mv', ['/a', '/moved'])],
  ['mv of a folder', tree => tree.call('files/mv', ['/k', '/d'])],
  ['cp', tree => tree.call('files/cp', ['/a', '/copy'])],
  ['rm', tree => tree.call('files/rm', ['/rm'])],
  ['rm of a folder', tree => tree.call('files/rm', ['/d'], { recursive: true })],
  ['mkdir', tree => tree.call('files/mkdir', ['/n/n'], { parents: true })],
  ['write of a new file', tree => tree.write('/new', 'new')],
  ['write', tree => tree.write('/b', 'changed')],
  ['chmod of a folder', tree => tree.call('files/chmod', ['0700', '/d'])],
  ['chmod of a file', tree => tree.call('files/chmod', ['0600', '/b'])]
]

async function contents(tree: Tree): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = { names: (await tree.names('/')).sort(), root: (await tree.stat('/')).Hash }
  for (const path of ['/a', '/b', '/rm', '/d/y', '/k/x']) found[path] = await tree.read(path)
  return found
}

/** Whether a command failed; `files/rm` says so in its answer. */
async function fails(call: Promise<unknown>): Promise<boolean> {
  try {
    const answer = await call
    if (answer !== null && typeof answer === 'object' && Symbol.asyncIterator in answer)
      for await (const _ of answer as AsyncIterable<unknown>);
    return false
  } catch {
    return true
  }
}

for (const isTorn of [false, true]) {
  for (const [what, command] of REFUSED) {
    test(`${what} that cannot be kept has not happened${isTorn ? ', though it was written' : ''}: not at once, not with the next change, not after a start`, async t => {
      const { tree, disk, again } = await stocked(t)
      const before = await contents(tree)
      disk.isTorn = isTorn
      disk.isFull = true
      t.true(await fails(command(tree)))
      t.deepEqual(await contents(tree), before)
      disk.isFull = false
      await tree.call('files/mkdir', ['/after'])
      t.false(await fails(tree.call('files/rm', ['/after'], { recursive: true })))
      t.deepEqual(await contents(tree), before)
      t.deepEqual(await contents(await again()), before)
    })
  }
}

test('of changes that come while another is being refused, those that are answered are there', async t => {
  const { tree, disk, again } = await stocked(t)
  const before = await tree.names('/')
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  disk.refusing = () => {
    reached.resolve()
    return released.promise
  }
  disk.isFull = true
  const first = fails(tree.call('files/mkdir', ['/first']))
  await reached.promise
  const second = fails(tree.call('files/mkdir', ['/second']))
  // It is part of the tree, and waits for its record.
  await until('the second is seen', async () => (await tree.names('/')).includes('second'))
  disk.isFull = false
  released.resolve()
  t.true(await first)
  const answered = (await second) ? [] : ['second']
  t.deepEqual((await tree.names('/')).sort(), [...before, ...answered].sort())
  t.deepEqual((await (await again()).names('/')).sort(), [...before, ...answered].sort())
})

test('a change that nobody waits for stays where another cannot be kept', async t => {
  const { tree, disk, again } = await stocked(t)
  await tree.call('files/mkdir', ['/loose'], { flush: false })
  await tree.write('/loose/f', 'not flushed', { flush: false })
  disk.isFull = true
  t.true(await fails(tree.call('files/mv', ['/a', '/b'])))
  t.is(await tree.read('/b'), 'content of b')
  t.is(await tree.read('/loose/f'), 'not flushed')
  disk.isFull = false
  await tree.call('files/flush', ['/'])
  const later = await again()
  t.is(await later.read('/loose/f'), 'not flushed')
  t.is(await later.read('/a'), 'content of a')
})

test('of calls at a time those that come after one that could not be kept are refused, or happen', async t => {
  const { tree, disk } = await stocked(t)
  disk.isFull = true
  const calls = Array.from({ length: 40 }, (_, i) => fails(tree.write(`/many/${i}`, `${i}`, { parents: true })))
  await calls[0]
  disk.isFull = false
  const failed = await Promise.all(calls)
  const there = new Set(await tree.names('/many').catch(() => []))
  t.deepEqual(
    failed.map((isFailed, i) => !isFailed && !there.has(String(i))),
    failed.map(() => false)
  )
  t.deepEqual(
    failed.map((isFailed, i) => isFailed && there.has(String(i))),
    failed.map(() => false)
  )
})

/** A body whose only part breaks off. */
function brokenOff(): Body {
  const part: BodyPart = {
    path: '/data',
    kind: 'file',
    headers: {},
    async *bytes() {
      yield Buffer.from('the first of ')
      throw new Error('broken off')
    }
  }
  return (async function* () {
    yield part
  })()
}

async function* empty(): Body {}

async function* ofFolder(): Body {
  yield { path: '/data', kind: 'directory', headers: {}, async *bytes() {} }
}

/** What is asked for of a tree with `/f`, a file, and `/d`, a directory of CID version 0 with the file `g`. */
interface Refusal {
  readonly path: string
  readonly args: readonly string[]
  readonly options?: Readonly<Record<string, unknown>>
  readonly body?: () => Body
  /** Whether the disk takes no blocks meanwhile. */
  readonly isFull?: boolean
}

const BEHIND = 'a name behind '.repeat(100).split(' ').join('/')
const LEAVE_NOTHING: Readonly<Record<string, Refusal>> = {
  'write with a negative count': { path: 'files/write', args: ['/n/f'], options: { count: -1n } },
  'write with a negative offset': { path: 'files/write', args: ['/n/f'], options: { offset: -1n } },
  'write far behind the end': { path: 'files/write', args: ['/n/f'], options: { offset: 2n ** 50n } },
  'write whose body breaks off': { path: 'files/write', args: ['/n/f'], body: brokenOff },
  'write without a body': { path: 'files/write', args: ['/n/f'], body: empty },
  'write of a folder': { path: 'files/write', args: ['/n/f'], body: ofFolder },
  'write on a full disk': { path: 'files/write', args: ['/n/f'], isFull: true },
  'write on a full disk, with a count of 0': { path: 'files/write', args: ['/n/f'], options: { count: 0n }, isFull: true },
  'write to a new path that ends in a slash': { path: 'files/write', args: ['/n/f/'] },
  'write without create': { path: 'files/write', args: ['/n/f'], options: { create: false } },
  'write that names the directory above it otherwise': { path: 'files/write', args: ['/d/f'], options: { cidVersion: 1 }, body: brokenOff },
  'write into a file that names the directory above it otherwise': {
    path: 'files/write',
    args: ['/d/g'],
    options: { cidVersion: 1 },
    body: brokenOff
  },
  'write with an unknown hash function': { path: 'files/write', args: ['/n/f'], options: { hash: 'murmur3-x64-64' } },
  'write below a file': { path: 'files/write', args: ['/f/n/f'] },
  'cp of what is not there': { path: 'files/cp', args: ['/nowhere', '/n/f'] },
  'cp of the root without a name': { path: 'files/cp', args: ['/', '/n/m/'] },
  'cp over a file, naming its directory otherwise': { path: 'files/cp', args: ['/f', '/d/g'], options: { hash: 'sha2-512' } },
  'cp below a file': { path: 'files/cp', args: ['/d', '/f/n/f'] },
  'cp from a block that is not here': {
    path: 'files/cp',
    args: ['/ipfs/bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku', '/n/f']
  },
  'mkdir below a file': { path: 'files/mkdir', args: ['/f/n/m'] },
  'mkdir over a file': { path: 'files/mkdir', args: ['/d/g'] },
  'mkdir that is too deep': { path: 'files/mkdir', args: [`/n/${BEHIND}/${BEHIND}/${BEHIND}/${BEHIND}`] },
  'mkdir that cannot be named': { path: 'files/mkdir', args: ['/n/m'], options: { hash: 'murmur3-x64-64' } },
  'mv into what is not there': { path: 'files/mv', args: ['/f', '/n/f'] },
  'mv of what is not there': { path: 'files/mv', args: ['/nowhere', '/d/f'] },
  'touch of what is not there': { path: 'files/touch', args: ['/n'] },
  'chmod of what is not there': { path: 'files/chmod', args: ['0600', '/n'] },
  'chcid of what is not there': { path: 'files/chcid', args: ['/n'], options: { cidVersion: 1 } }
}
const WITH_PARENTS: ReadonlySet<string> = new Set(['files/write', 'files/cp', 'files/mkdir'])

for (const [what, { path, args, options, body, isFull = false }] of Object.entries(LEAVE_NOTHING)) {
  test(`${what} is refused, and leaves nothing that was not there`, async t => {
    const tree = await newTree(t, { mfs: { maxDepth: 300 } })
    await tree.write('/f', 'content')
    await tree.write('/d/g', 'content', { parents: true })
    const before = (await tree.stat('/')).Hash
    const store = tree.host.service(Blockstore)!
    const full = async () => {
      throw new Error('no space left')
    }
    if (isFull) Object.assign(store, { put: full, putMany: full, putAll: full })
    const given = { ...(WITH_PARENTS.has(path) && { parents: true }), ...(path === 'files/write' && { create: true }), ...options }
    const sent = path === 'files/write' ? (body?.() ?? dataOf('new content')) : undefined
    await t.throwsAsync(tree.host.call(path, { args, options: given, ...(sent && { body: sent }) }))
    t.is((await tree.stat('/')).Hash, before)
  })
}

test('a write into new directories has made them when it is done, with the CIDs that it was asked for', async t => {
  const tree = await newTree(t)
  await tree.write('/a/b/f', 'content', { parents: true, cidVersion: 1 })
  t.is(await tree.read('/a/b/f'), 'content')
  for (const path of ['/a', '/a/b', '/a/b/f']) t.regex((await tree.stat(path)).Hash, /^bafy/, path)
  t.regex((await tree.stat('/')).Hash, /^Qm/)
})

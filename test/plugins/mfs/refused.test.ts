/** Changes of the tree that could not be kept, as on a full disk. */
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Datastore } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { type Tree, treeOf } from './helpers.ts'

interface Disk {
  isFull: boolean
  /** Whether what is written is there all the same, as where a sync fails. */
  isTorn: boolean
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
    if (isRecord && disk.isFull && !disk.isTorn) throw new Error('no space left')
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

/** Random sequences of calls against a model in memory: what is read, listed and counted is the same, also after collections and starts. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import { temporaryFolder } from '../../helpers/folder.ts'
import { openTree, type Tree } from './helpers.ts'

/** Sequences; `MFS_MODEL_RUNS` says how many, `MFS_MODEL_SEED` repeats some. */
const RUNS = Number(process.env['MFS_MODEL_RUNS'] ?? 40)
const SEED = Number(process.env['MFS_MODEL_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** A directory by its entries, a file by its content. */
type Node = Map<string, Node> | Buffer

const name = fc.constantFrom('a', 'b', 'c', 'd')
const path = fc.array(name, { minLength: 1, maxLength: 3 })
const content = fc.tuple(fc.constantFrom(0, 3, 40, 5000, 270_000), fc.nat(255)).map(([size, byte]) => Buffer.alloc(size, byte))
const flush = fc.boolean()

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      path,
      content,
      offset: fc.constantFrom(0, 2, 4000, 262_144),
      truncate: fc.boolean(),
      flush
    })
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('mkdir' as const), path, flush }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cp' as const), path, to: path, flush }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('mv' as const), path, to: path, flush }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rm' as const), path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('chcid' as const), path, version: fc.constantFrom(0, 1), flush }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('gc' as const, 'pin' as const, 'flush' as const, 'block' as const, 'reopen' as const, 'check' as const)
    })
  }
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Small, so that directories are sharded, written and let go of within a sequence. */
const settings = fc.record({
  journal: fc.constantFrom(1, 3, 1024),
  held: fc.constant(1024),
  threshold: fc.constantFrom('1B', '100B', '256KiB')
})

class Model {
  readonly root: Map<string, Node> = new Map()

  at(path: readonly string[]): Node | undefined {
    let at: Node | undefined = this.root
    for (const name of path) at = at instanceof Map ? at.get(name) : undefined
    return at
  }

  folder(path: readonly string[]): Map<string, Node> | undefined {
    const at = this.at(path.slice(0, -1))
    return at instanceof Map ? at : undefined
  }
}

function copyOf(node: Node): Node {
  return node instanceof Map ? new Map([...node].map(([name, inner]) => [name, copyOf(inner)])) : node
}

function written(before: Buffer, bytes: Buffer, offset: number): Buffer {
  const after = Buffer.alloc(Math.max(before.length, offset + bytes.length, offset))
  before.copy(after)
  bytes.copy(after, offset)
  return after
}

/** What the model expects of a call: a change, or a refusal. */
function apply(model: Model, one: Step): boolean {
  if (!('path' in one)) return true
  const folder = model.folder(one.path)
  const last = one.path.at(-1)!
  const there = model.at(one.path)
  switch (one.kind) {
    case 'write': {
      if (folder === undefined || there instanceof Map) return false
      folder.set(last, written(one.truncate ? Buffer.alloc(0) : (there ?? Buffer.alloc(0)), one.content, one.offset))
      return true
    }
    case 'mkdir': {
      if (folder === undefined || there !== undefined) return false
      folder.set(last, new Map())
      return true
    }
    case 'cp': {
      const to = model.folder(one.to)
      if (there === undefined || to === undefined || model.at(one.to) !== undefined) return false
      to.set(one.to.at(-1)!, copyOf(there))
      return true
    }
    case 'mv':
      return moved(model, one.path, one.to)
    case 'rm':
      return folder?.delete(last) ?? false
    case 'chcid':
      return there instanceof Map
    default:
      return true
  }
}

function moved(model: Model, from: readonly string[], to: readonly string[]): boolean {
  const node = model.at(from)
  const target = model.at(to)
  const [source, folder] = [model.folder(from), model.folder(to)]
  if (node === undefined || source === undefined || folder === undefined) return false
  const into = target instanceof Map ? target : folder
  const [as, path] = target instanceof Map ? [from.at(-1)!, to] : [to.at(-1)!, to.slice(0, -1)]
  if (target instanceof Map && target.has(as)) return false
  // The reference leaves the source where both directories have the same name; see docs/compatibility.md.
  const stays = (from.at(-2) ?? '') === (path.at(-1) ?? '') && from.at(-1) === as
  const copy = copyOf(node)
  into.set(as, copy)
  if (!stays) source.delete(from.at(-1)!)
  return true
}

async function play(tree: Tree, one: Step): Promise<void> {
  const at = 'path' in one ? `/${one.path.join('/')}` : '/'
  const flush = 'flush' in one ? one.flush : true
  switch (one.kind) {
    case 'write':
      return tree.write(at, one.content, { offset: BigInt(one.offset), truncate: one.truncate, flush })
    case 'mkdir':
      return tree.call('files/mkdir', [at], { flush })
    case 'cp':
    case 'mv':
      return tree.call(`files/${one.kind}`, [at, `/${one.to.join('/')}`], { flush })
    case 'rm':
      for await (const line of await tree.call<AsyncIterable<string>>('files/rm', [at], { recursive: true })) throw new Error(line)
      return
    case 'chcid':
      return tree.call('files/chcid', [at], { cidVersion: one.version, flush })
    case 'gc':
      for await (const _ of await tree.call<AsyncIterable<unknown>>('repo/gc'));
      return
    case 'pin':
      return tree.call('pin/add', [(await tree.stat('/')).Hash])
    case 'flush':
      return tree.call('files/flush')
    case 'block': {
      // What is stored beside the tree and not kept may go; what is in the tree may not.
      const { Hash } = await tree.stat('/')
      return tree.call('block/stat', [Hash])
    }
  }
}

/** Everything in the tree is as in the model, each file read to its end. */
async function holds(tree: Tree, path: string, node: Node): Promise<void> {
  if (!(node instanceof Map)) {
    const found = await tree.read(path)
    if (found !== node.toString('latin1')) throw new Error(`${path}: ${found.length} bytes are not the ${node.length} that were written`)
    const { Size } = await tree.stat(path)
    if (Number(Size) !== node.length) throw new Error(`${path}: says that it has ${Size} bytes, and has ${node.length}`)
    return
  }
  const found = (await tree.names(path === '' ? '/' : path)).sort()
  const expected = [...node.keys()].sort()
  if (found.join() !== expected.join()) throw new Error(`${path}/: holds ${found}, not ${expected}`)
  for (const [name, inner] of node) await holds(tree, `${path}/${name}`, inner)
}

test(`${RUNS} random sequences of calls leave what a tree in memory would hold`, async t => {
  t.timeout(60_000 + RUNS * 10_000)
  t.log(`seed ${SEED} (MFS_MODEL_SEED repeats it, MFS_MODEL_RUNS says how many)`)
  const folder = await temporaryFolder(t)
  let number = 0
  const sequence = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), settings, async (steps, { threshold, ...mfs }) => {
    const repo = join(folder, `repo-${number++}`)
    const model = new Model()
    let tree = await openTree(repo, { mfs, threshold })
    try {
      for (const one of steps) {
        if (one.kind === 'reopen') {
          await tree.host.stop()
          tree = await openTree(repo, { mfs, threshold })
        } else if (one.kind === 'check') await holds(tree, '', model.root)
        else {
          const expected = apply(model, one)
          const error = await play(tree, one).then(
            () => undefined,
            failure => failure as Error
          )
          if (expected !== (error === undefined)) throw new Error(`${JSON.stringify(one)}: ${error?.stack ?? 'was done'}`)
        }
      }
      await holds(tree, '', model.root)
      for await (const _ of await tree.call<AsyncIterable<unknown>>('repo/gc'));
      await tree.host.stop()
      tree = await openTree(repo, { mfs, threshold })
      await holds(tree, '', model.root)
    } finally {
      await tree.host.stop()
      await rm(repo, { recursive: true, force: true })
    }
  })
  await fc.assert(sequence, { numRuns: RUNS, seed: SEED })
  t.pass()
})

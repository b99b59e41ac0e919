/** Requests of the kernel to the mounted tree, made here: no mount is needed, and each instant can be chosen. */
import test, { type ExecutionContext } from 'ava'
import { Datastore, Mfs, MfsTrees, type Names, PathResolver, UnixFs } from '../../../core/index.ts'
import { testHost } from '../../../host/testing.ts'
import { Op } from '../../../plugins/mount/fuse/protocol.ts'
import { Waiting } from '../../../plugins/mount/fuse/tree/file.ts'
import { TreeFiles } from '../../../plugins/mount/fuse/tree/tree.ts'
import { PublishedTree } from '../../../plugins/mount/published-tree.ts'

const KIB_128 = 128 << 10
const ROOT = 1n

/** A tree with its files; each method of `changed` stands in the place of the tree's own. */
async function files(t: ExecutionContext, changed: (tree: Mfs) => Partial<Mfs> = () => ({})) {
  const host = await testHost()
  t.teardown(() => host.stop())
  const tree = host.service(Mfs)!
  const changes = changed(tree)
  const seen = new Proxy(tree, {
    get(of, name) {
      const method = (changes as Record<string | symbol, unknown>)[name] ?? Reflect.get(of, name)
      return typeof method === 'function' ? method.bind(of) : method
    }
  })
  const mounted = new TreeFiles({ tree: seen, waiting: new Waiting(64 << 20), maxNodes: 100, maxHandles: 100, maxEntries: 100 })
  const ask = async (op: number, node: bigint, ...body: Uint8Array[]): Promise<Buffer> => {
    const request = { op, unique: 1n, node, body: Buffer.concat(body) }
    const answer = await mounted.handle(request, new AbortController().signal)
    if (typeof answer === 'number') throw new Error(`errno ${answer}`)
    return Buffer.from(answer)
  }
  return {
    ask,
    end: () => mounted.close(),
    async create(name: string) {
      const answer = await ask(Op.CREATE, ROOT, Buffer.alloc(16), zeroEnded(name))
      return { node: answer.readBigUInt64LE(0), handle: answer.readBigUInt64LE(128) }
    },
    async open(node: bigint) {
      return (await ask(Op.OPEN, node, Buffer.alloc(8))).readBigUInt64LE(0)
    },
    write: (node: bigint, handle: bigint, offset: number, bytes: Uint8Array) => {
      const size = Buffer.alloc(24)
      size.writeUInt32LE(bytes.length)
      return ask(Op.WRITE, node, u64(handle), u64(offset), size, bytes)
    },
    close: (node: bigint, handle: bigint) => ask(Op.FLUSH, node, u64(handle)),
    release: (node: bigint, handle: bigint) => ask(Op.RELEASE, node, u64(handle)),
    async content(path: string) {
      const pieces: Uint8Array[] = []
      for await (const piece of await tree.read(path)) pieces.push(piece.slice())
      return Buffer.concat(pieces)
    }
  }
}

test('what is written while its file is moved goes where the file is', async t => {
  const moved = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const at = await files(t, tree => ({
    async move(...args) {
      await tree.move(...args)
      moved.resolve()
      await goOn.promise
    }
  }))
  const { node, handle } = await at.create('from')
  const renamed = at.ask(Op.RENAME, ROOT, u64(ROOT), zeroEnded('from'), zeroEnded('to'))
  await moved.promise
  const writes = Array.from({ length: 9 }, (_, i) => at.write(node, handle, i * KIB_128, Buffer.alloc(KIB_128, 1)))
  await new Promise(resolve => setImmediate(resolve))
  goOn.resolve()
  await Promise.all([renamed, ...writes])
  await at.close(node, handle)
  t.true((await at.content('/to')).equals(Buffer.alloc(9 * KIB_128, 1)))
})

test('what could not be kept is told to whoever closes the file, and kept when it can be', async t => {
  let fails = 2
  const at = await files(t, tree => ({
    async write(path, bytes, options) {
      if (options?.offset !== undefined && fails-- > 0) throw Object.assign(new Error('full'), { code: 'E_STORAGE_FULL' })
      await tree.write(path, bytes, options)
    }
  }))
  const { node, handle } = await at.create('f')
  await at.write(node, handle, 0, Buffer.from('precious'))
  await t.throwsAsync(at.ask(Op.READ, node, u64(handle), u64(0), u64(100)), { code: 'E_STORAGE_FULL' })
  await t.throwsAsync(at.close(node, handle), { code: 'E_STORAGE_FULL' })
  await at.close(node, handle)
  t.is(String(await at.content('/f')), 'precious')
})

test('what cannot be kept when all is unmounted is told, and keeps nothing else from being kept', async t => {
  const at = await files(t, tree => ({
    async write(path, bytes, options) {
      if (path === '/a' && options?.offset !== undefined) throw Object.assign(new Error('full'), { code: 'E_STORAGE_FULL' })
      await tree.write(path, bytes, options)
    }
  }))
  for (const name of ['a', 'gone', 'b']) {
    const { node, handle } = await at.create(name)
    if (name === 'gone') await at.ask(Op.UNLINK, ROOT, zeroEnded(name))
    await at.write(node, handle, 0, Buffer.from(name))
  }
  const error = await t.throwsAsync<AggregateError>(at.end(), { instanceOf: AggregateError })
  t.deepEqual(
    error?.errors.map(({ code }) => code),
    ['E_STORAGE_FULL']
  )
  t.is(String(await at.content('/b')), 'b')
  await at.end()
})

test('what comes after the last close, of a file that is mapped into memory, is kept', async t => {
  const at = await files(t)
  const { node, handle } = await at.create('f')
  await at.close(node, handle)
  await at.write(node, handle, 0, Buffer.from('mapped'))
  await at.release(node, handle)
  t.is(String(await at.content('/f')), 'mapped')
})

test('a file that is cut while another opens and writes it has both', async t => {
  const cutting = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const at = await files(t, tree => ({
    async write(path, bytes, options) {
      if (options?.truncate) {
        cutting.resolve()
        await goOn.promise
      }
      await tree.write(path, bytes, options)
    }
  }))
  const { node, handle } = await at.create('f')
  await at.write(node, handle, 0, Buffer.from('0123456789'))
  await at.close(node, handle)
  await at.release(node, handle)
  const change = Buffer.alloc(88)
  change.writeUInt32LE(8, 0)
  change.writeBigUInt64LE(5n, 16)
  const cut = at.ask(Op.SETATTR, node, change)
  await cutting.promise
  const other = await at.open(node)
  const written = at.write(node, other, 0, Buffer.from('AB')).then(() => at.close(node, other))
  await new Promise(resolve => setImmediate(resolve))
  goOn.resolve()
  await Promise.all([cut, written])
  t.is(String(await at.content('/f')), 'AB234')
})

test('the tree of a name that could not be published twice is what it was, and is published when it can be', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const tree = host.service(MfsTrees)!.open('name')
  const published: string[] = []
  let leadsTo = ''
  let fails = false
  const names = {
    resolve: async () => ({ path: leadsTo, ttl: 0n }),
    publish: async (path: string) => {
      if (fails) throw new Error('no route')
      published.push(path)
      leadsTo = path
    }
  } as unknown as Names
  const parts = {
    names,
    paths: host.service(PathResolver)!,
    unixfs: host.service(UnixFs)!,
    datastore: host.service(Datastore)!,
    log: { error() {} } as never
  }
  const mounted = async (change?: string) => {
    const name = new PublishedTree(parts, 'name', 'self', tree)
    await name.open()
    if (change !== undefined) {
      await tree.mkdir(change)
      name.changed()
    }
    await name.close(1000)
  }
  await tree.mkdir('/first')
  leadsTo = `/ipfs/${await tree.flush('/')}`
  await mounted('/a')
  fails = true
  await mounted('/b')
  await mounted('/c')
  const listed: string[] = []
  fails = false
  await mounted()
  for await (const { name } of tree.list('/')) listed.push(name)
  t.deepEqual(listed.sort(), ['a', 'b', 'c', 'first'])
  t.is(published.at(-1), `/ipfs/${await tree.flush('/')}`)
})

function zeroEnded(name: string): Buffer {
  return Buffer.from(`${name}\0`)
}

function u64(value: bigint | number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

import test, { type ExecutionContext } from 'ava'
import { NotFoundError } from 'interface-store'
import type { CID } from 'multiformats/cid'
import { Blockstore, ready } from '../../core/index.ts'
import { openRpc } from '../../host/rpc/listener.ts'
import { testHost } from '../../host/testing.ts'
import { Blocks, unixfs } from '../core/unixfs/export/blocks.ts'
import { failed } from './support/attack.ts'
import { ask } from './support/http.ts'

/** How a store answers. */
interface Lies {
  get?(cid: CID, bytes: Uint8Array | undefined): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  has?(): boolean | Promise<boolean>
}

const text = Buffer.from('twelve bytes')

/** A node over a store that lies, with a file of two blocks in it. */
async function liar(t: ExecutionContext, { get, has }: Lies, settings: Record<string, unknown> = {}) {
  const known = new Blocks()
  const bytesOf = (cid: CID) => known.map.get(Buffer.from(cid.multihash.bytes).toString('base64'))
  const honest = function* (bytes: Uint8Array | undefined) {
    if (bytes === undefined) throw new NotFoundError()
    yield bytes
  }
  let lies = false
  const store = {
    put: (cid: CID, bytes: Uint8Array) => known.put(cid, bytes),
    get: (cid: CID) => (lies && get !== undefined ? get(cid, bytesOf(cid)) : honest(bytesOf(cid))),
    has: async (cid: CID) => (lies && has !== undefined ? has() : bytesOf(cid) !== undefined),
    delete: async (cid: CID) => known.delete(cid),
    async *getAll() {}
  }
  const host = await testHost({ services: [ready(Blockstore, store as never)], configuration: { plugins: { blocks: settings } } })
  const repo = { get: (<T>() => undefined as T | undefined) as never }
  const settled = { lateFailure: 'finish' } as const
  const rpc = await openRpc({ calls: host.calls, repo, host, logs: host.logs, settings: settled, addresses: ['/ip4/127.0.0.1/tcp/0'] })
  t.teardown(async () => {
    await rpc.close()
    await host.stop()
  })
  const leaf = await known.add(0x55, text)
  const root = await known.pb(unixfs({ type: 2, size: 24n, sizes: [12n, 12n] }), [
    ['', leaf, 12],
    ['', leaf, 12]
  ])
  lies = true
  const port = Number(rpc.addresses[0]!.split('/').at(-1))
  const asked = async (path: string) => {
    const { status, text: body, error } = await ask(port, { path })
    return [status, body, error]
  }
  return { leaf, root, asked }
}

/** That the node serves whatever its store does. */
async function serves(t: ExecutionContext, asked: (path: string) => Promise<unknown[]>): Promise<void> {
  t.is((await asked('version'))[0], 200)
}

test('a block that a store made up is not handed to who asked for it', async t => {
  const { leaf, asked } = await liar(t, { get: () => [Buffer.from('other bytes!')] })
  const corrupt = failed(`block in storage has different hash than requested: ${leaf}`)
  t.deepEqual(await asked(`block/get?arg=${leaf}`), [500, corrupt, undefined])
  await serves(t, asked)
})

test('no block that a store made up is believed, be it asked for or met on the way', async t => {
  const { root, asked } = await liar(t, { get: () => [Buffer.from('other bytes!')] })
  const corrupt = `block in storage has different hash than requested: ${root}`
  t.deepEqual(await asked(`cat?arg=${root}`), [500, failed(corrupt), undefined])
  t.deepEqual(await asked(`pin/add?arg=${root}`), [500, failed(`pin: ${corrupt}`), undefined])
  t.deepEqual(await asked(`dag/stat?arg=${root}`), [500, failed(corrupt), undefined])
  await serves(t, asked)
})

test('a block that a store cuts off is an error', async t => {
  const { leaf, root, asked } = await liar(t, { get: (_, bytes) => [bytes!.subarray(0, 5)] })
  const corrupt = (cid: CID) => failed(`block in storage has different hash than requested: ${cid}`)
  t.deepEqual(await asked(`dag/get?arg=${root}`), [500, corrupt(root), undefined])
  t.deepEqual(await asked(`cat?arg=${root}`), [500, corrupt(root), undefined])
  t.deepEqual(await asked(`cat?arg=${leaf}`), [500, corrupt(leaf), undefined])
  await serves(t, asked)
})

test('where blocks are not hashed again, one that a store cuts off is as short as it is', async t => {
  const { leaf, root, asked } = await liar(t, { get: (_, bytes) => [bytes!.subarray(0, 5)] }, { verifyOnRead: 'none' })
  t.deepEqual(await asked(`cat?arg=${root}`), [500, failed('unexpected EOF'), undefined])
  t.deepEqual(await asked(`cat?arg=${leaf}`), [200, 'twelv', undefined])
  await serves(t, asked)
})

test('a block that a store hands over in pieces is one', async t => {
  const { root, asked } = await liar(t, {
    *get(_, bytes) {
      for (const byte of bytes!) yield Uint8Array.of(byte)
    }
  })
  t.deepEqual(await asked(`cat?arg=${root}`), [200, `${text}${text}`, undefined])
})

test('what a store throws is told', async t => {
  const { root, leaf, asked } = await liar(t, {
    get() {
      throw new Error('the disk is on fire')
    }
  })
  t.deepEqual(await asked(`cat?arg=${root}`), [500, failed('the disk is on fire'), undefined])
  t.deepEqual(await asked(`block/get?arg=${leaf}`), [500, failed('the disk is on fire'), undefined])
  t.deepEqual(await asked(`refs?recursive=true&arg=${root}`), [200, '{"Ref":"","Err":"the disk is on fire"}\n', undefined])
  await serves(t, asked)
})

test('a store that never answers keeps nobody longer than they wait', async t => {
  const { root, asked } = await liar(t, {
    async *get() {
      await new Promise(() => {})
    }
  })
  const over = failed('context deadline exceeded')
  for (const path of ['cat', 'get', 'ls', 'dag/get', 'dag/stat', 'block/get']) {
    t.deepEqual(await asked(`${path}?timeout=50ms&arg=${root}`), [500, over, undefined], path)
  }
  await serves(t, asked)
})

test('a store that has blocks it does not give, or gives blocks it does not have', async t => {
  const missing = await liar(t, {
    has: () => true,
    get() {
      throw new NotFoundError()
    }
  })
  const absent = `block was not found locally (offline): ipld: could not find ${missing.root}`
  t.deepEqual(await missing.asked(`cat?arg=${missing.root}`), [500, failed(absent), undefined])
  t.deepEqual(await missing.asked(`pin/add?arg=${missing.root}`), [500, failed(`pin: ${absent}`), undefined])
  await serves(t, missing.asked)
  const secret = await liar(t, { has: () => false })
  t.deepEqual(await secret.asked(`cat?arg=${secret.root}`), [200, `${text}${text}`, undefined])
  await serves(t, secret.asked)
})

import test from 'ava'
import { type Call, type Command, Dag, ready, type TextOf } from '../../../core/index.ts'
import { cidHost, type Host } from './helpers.ts'

interface TableEntry {
  Code: number
  Name: string
}

async function started(t: { teardown(fn: () => void): void }, options = {}): Promise<Host> {
  const host = await cidHost({}, options)
  t.teardown(() => host.stop())
  return host
}

const entries = async (host: Host, path: string, options = {}) => (await host.call(path, { options })) as TableEntry[]

async function textOf(host: Host, path: string, options: Record<string, unknown>): Promise<string> {
  const command = host.commands().find(one => one.path === path) as Command
  const write = command.text as TextOf<unknown, Call> & ((item: unknown, call: Call) => string)
  return write(await entries(host, path, options), { options } as unknown as Call)
}

test('both listings of bases are the same', async t => {
  const host = await started(t)
  const bases = await entries(host, 'cid/bases')
  t.is(bases.length, 21)
  t.deepEqual(bases[0], { Code: 0, Name: 'identity' })
  t.deepEqual(bases.at(-1), { Code: 128640, Name: 'base256emoji' })
  t.deepEqual(await entries(host, 'multibase/list'), bases)
})

test('text shows prefixes that print, and numbers, in columns', async t => {
  const host = await started(t)
  t.true((await textOf(host, 'cid/bases', {})).startsWith('identity\nbase2\nbase32\nbase32upper\n'))
  t.true((await textOf(host, 'cid/bases', { prefix: true })).startsWith('   identity\n0  base2\nb  base32\n'))
  t.true((await textOf(host, 'cid/bases', { numeric: true })).endsWith('     90  base58flickr\n 128640  base256emoji\n'))
  t.true((await textOf(host, 'cid/bases', { prefix: true, numeric: true })).endsWith('Z      90  base58flickr\n   128640  base256emoji\n'))
  t.true((await textOf(host, 'cid/codecs', { numeric: true })).startsWith('   81  cbor\n   85  raw\n'))
  t.true((await textOf(host, 'cid/hashes', {})).startsWith('identity\nsha1\n'))
})

test('codecs of nodes are listed by code', async t => {
  const host = await started(t)
  const codecs = await entries(host, 'cid/codecs')
  t.is(codecs.length, 43)
  t.deepEqual(codecs.slice(0, 3), [
    { Code: 81, Name: 'cbor' },
    { Code: 85, Name: 'raw' },
    { Code: 112, Name: 'dag-pb' }
  ])
})

test('supported codecs are those that the graph service knows, whoever added them', async t => {
  const read = (code: number, name: string) => ({ code, name, decode: () => undefined, links: () => [] })
  const mine = { ...read(0x300001, 'mine'), encode: () => new Uint8Array(0) }
  const dag = { codecs: () => [mine, read(0x55, 'raw'), read(0x300002, 'only read')] } as unknown as Dag
  const host = await started(t, { services: [ready(Dag, dag)] })
  t.deepEqual(await entries(host, 'cid/codecs', { supported: true }), [
    { Code: 85, Name: 'raw' },
    { Code: 114, Name: 'libp2p-key' },
    { Code: 0x300001, Name: 'mine' }
  ])
})

test('hashes that a node takes are listed by code', async t => {
  const host = await started(t)
  const hashes = await entries(host, 'cid/hashes')
  t.is(hashes.length, 73)
  t.deepEqual(
    hashes.find(({ Code }) => Code === 20),
    { Code: 20, Name: 'sha3-512' }
  )
  t.false(hashes.some(({ Name }) => Name === 'md5'))
})

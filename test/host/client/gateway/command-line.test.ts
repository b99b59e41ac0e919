import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { generateKeyPair } from '@libp2p/crypto/keys'
import test from 'ava'
import { createIPNSRecord, marshalIPNSRecord } from 'ipns'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { Blocks } from '../../../core/unixfs/export/blocks.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { serve, site, type Tricks } from './served.ts'

test('get, cat, ls and dag export run over a gateway, without a repo', async t => {
  const blocks = new Blocks()
  const { root, content } = await site(blocks)
  const gateway = await serve(t, blocks)
  const cwd = await temporaryFolder(t)
  const env = { HOLDFAST_PATH: join(cwd, 'none') }
  const run = (...args: string[]) => commandLine([...args, '--gateway', gateway.url], { cwd, env })
  t.like(await run('get', '-o', 'copy', `/ipfs/${root}`), { code: 0, err: '' })
  t.deepEqual((await readdir(join(cwd, 'copy'))).sort(), ['folder', 'large.bin', 'link', 'small.txt'])
  t.deepEqual(await readFile(join(cwd, 'copy', 'large.bin')), content)
  t.is(await readlink(join(cwd, 'copy', 'link')), 'small.txt')
  t.deepEqual(gateway.asked.splice(0), [`car ${root} all`])
  const cat = await run('cat', `${root}/large.bin`, '--offset', '250001', '--length', '30')
  t.deepEqual(cat.bytes, content.subarray(250_001, 250_031))
  const ls = await run('ls', String(root))
  t.regex(ls.out, /large\.bin/)
  const exported = await run('dag', 'export', String(root))
  t.like(exported, { code: 0, err: '' })
  t.true(exported.bytes.length > content.length)
  const version = await run('version')
  t.regex(version.err, /'version' cannot be run on a gateway/)
  t.deepEqual(await readdir(cwd), ['copy'])
})

test('the command line warns of a gateway that lies, reads on, and stores nothing where no gateway is left', async t => {
  const blocks = new Blocks()
  const { root } = await site(blocks)
  const lying = await serve(t, blocks, {
    async *car(blocks) {
      for await (const { cid, bytes } of blocks) yield { cid, bytes: new Uint8Array(bytes).fill(7) }
    }
  })
  const honest = await serve(t, blocks)
  const cwd = await temporaryFolder(t)
  const env = { HOLDFAST_PATH: join(cwd, 'none') }
  const warned = await commandLine(['cat', `${root}/small.txt`, '--gateway', lying.url, '--gateway', honest.url], { cwd, env })
  t.is(warned.out, 'small\n', warned.err)
  t.is(warned.err, `Warning: ${lying.url} is not asked any more: it sent other bytes for the block ${root}\n`)
  const failed = await commandLine(['get', String(root), '--gateway', lying.url], { cwd, env })
  t.is(failed.code, 1)
  t.regex(failed.err, /no gateway gives the block/)
  t.deepEqual(await readdir(cwd), [])
})

test('a name is followed by its records, which gateways have and nobody needs to trust', async t => {
  const blocks = new Blocks()
  const { root } = await site(blocks)
  const [key, other] = [await generateKeyPair('Ed25519'), await generateKeyPair('Ed25519')]
  const name = CID.createV1(0x72, key.publicKey.toMultihash()).toString(base36)
  const record = async (by: typeof key, sequence: number) =>
    marshalIPNSRecord(await createIPNSRecord(by, `/ipfs/${root}`, sequence, 3_600_000))
  const giving = (bytes: Uint8Array): Tricks => ({
    answer: ({ url }, response) => url!.startsWith(`/ipns/${name}?format=ipns-record`) && response.writeHead(200).end(bytes) !== undefined
  })
  const lying = await serve(t, new Blocks(), giving(await record(other, 9)))
  const honest = await serve(t, blocks, giving(await record(key, 1)))
  const cwd = await temporaryFolder(t)
  const env = { HOLDFAST_PATH: join(cwd, 'none') }
  const read = (...gateways: readonly string[]) =>
    commandLine(['cat', `/ipns/${name}/small.txt`, ...gateways.flatMap(url => ['--gateway', url])], { cwd, env })
  t.like(await read(lying.url, honest.url), { code: 0, out: 'small\n' })
  const refused = await read(lying.url)
  t.is(refused.code, 1)
  t.regex(refused.err, /could not resolve name/)
})

test('what is no reading of content is refused on a gateway', async t => {
  const blocks = new Blocks()
  const gateway = await serve(t, blocks)
  const add = await commandLine(['pin', 'ls', '--gateway', gateway.url])
  t.is(add.code, 1)
  t.regex(add.err, /'pin ls' cannot be run on a gateway/)
  const both = await commandLine(['cat', 'x', '--gateway', gateway.url, '--api', '/ip4/127.0.0.1/tcp/1'])
  t.regex(both.err, /say --gateway or --api/)
  t.deepEqual(gateway.asked, [])
})

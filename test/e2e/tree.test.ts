/** A real tree goes in and comes back, byte for byte, through the published client, before and after a restart. */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { create, globSource, type KuboRPCClient } from 'kubo-rpc-client'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import tar from 'tar-stream'
import { temporaryFolder } from '../helpers/folder.ts'
import { startDaemon } from '../helpers/process/daemon.ts'
import { gathered } from '../helpers/streams.ts'

const source = fileURLToPath(new URL('../../../node_modules/typescript', import.meta.url))

async function filesBelow(folder: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files.set(relative(folder, path), await readFile(path))
  }
  return files
}

/** Reads the tree back in every way there is and compares each byte. */
async function readsBack(t: ExecutionContext, client: KuboRPCClient, root: CID, files: ReadonlyMap<string, Buffer>): Promise<void> {
  const listed = new Map<string, CID>()
  const walk = async (cid: CID, path: string): Promise<void> => {
    for await (const { name, cid: child, type, size } of client.ls(cid)) {
      const at = path === '' ? name : `${path}/${name}`
      if (type === 'dir') await walk(child, at)
      else {
        listed.set(at, child)
        t.is(size, files.get(at)?.length ?? -1, at)
      }
    }
  }
  await walk(root, '')
  t.deepEqual([...listed.keys()].sort(), [...files.keys()].sort())

  for (const [path, bytes] of files) {
    if (!bytes.equals(await gathered(client.cat(`/ipfs/${root}/${path}`)))) t.fail(`cat ${path} differs`)
  }

  const unpacked = new Map<string, Buffer>()
  const extract = tar.extract()
  extract.on('entry', (header, stream, next) => {
    gathered(stream as AsyncIterable<Uint8Array>).then(bytes => {
      if (header.type === 'file') unpacked.set(header.name.slice(`${root}/`.length), bytes)
      next(null)
    }, next)
  })
  await pipeline(Readable.from(client.get(root)), extract)
  t.is(unpacked.size, files.size)
  for (const [path, bytes] of files) if (!bytes.equals(unpacked.get(path) ?? Buffer.alloc(0))) t.fail(`get ${path} differs`)

  let blocks = 0
  for await (const { ref, err } of client.refs(root, { recursive: true, unique: true })) {
    t.falsy(err)
    const cid = CID.parse(ref)
    const bytes = await client.block.get(cid)
    const digest = await sha256.digest(bytes)
    if (!Buffer.from(digest.bytes).equals(Buffer.from(cid.multihash.bytes))) t.fail(`block ${ref} does not verify`)
    blocks++
  }
  t.true(blocks >= files.size / 2)
}

test('a real folder is added, pinned, listed and read back byte for byte, and again after a restart', async t => {
  t.timeout(120_000)
  const repo = join(await temporaryFolder(t), 'repo')
  const files = await filesBelow(source)
  let daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  let client = create({ url: daemon.url })

  const results = []
  for await (const result of client.addAll(globSource(source, '**/*', { hidden: true }), { wrapWithDirectory: true })) results.push(result)
  const root = results.at(-1)!.cid
  t.is(results.at(-1)!.path, '')
  await readsBack(t, client, root, files)
  const pins = []
  for await (const pin of client.pin.ls({ type: 'recursive' })) pins.push(pin.cid.toString())
  t.true(pins.includes(root.toString()))

  t.is(await daemon.stop(), 0)
  daemon = await startDaemon(repo)
  client = create({ url: daemon.url })
  await readsBack(t, client, root, files)
  t.is(await daemon.stop(), 0)
})

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { create, globSource } from 'kubo-rpc-client'
import { temporaryFolder } from '../helpers/folder.ts'
import { startDaemon } from '../helpers/process/daemon.ts'
import { all, gathered } from '../helpers/streams.ts'

const folder = fileURLToPath(new URL('../../../node_modules/typescript', import.meta.url))

test('a folder that one node exports is whole on another that imports it', async t => {
  const [from, to] = await Promise.all(
    ['from', 'to'].map(async name => {
      const daemon = await startDaemon(join(await temporaryFolder(t), name))
      t.teardown(() => daemon.stop())
      return create({ url: daemon.url })
    })
  )
  const added = []
  for await (const { cid } of from!.addAll(globSource(folder, '**/*', { hidden: true }), { wrapWithDirectory: true, pin: false }))
    added.push(cid)
  const cid = added.at(-1)!

  const imported = await all(to!.dag.import([from!.dag.export(cid)]))
  t.deepEqual(
    imported.map(({ root }) => [String(root?.cid), root?.pinErrorMsg]),
    [[String(cid), '']]
  )
  const pins = []
  for await (const pin of to!.pin.ls({ paths: [cid] })) pins.push(pin.type)
  t.deepEqual(pins, ['recursive'])

  let count = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const read = await gathered(to!.cat(`/ipfs/${cid}${path.slice(folder.length)}`))
    if (!read.equals(await readFile(path))) t.fail(path)
    count++
  }
  t.true(count > 100)

  const again = async (node: typeof from) => {
    return gathered(node!.dag.export(cid))
  }
  t.true((await again(to)).equals(await again(from)))
})

/** Directories at any threshold hold what a map would hold. */
import test from 'ava'
import fc from 'fast-check'
import { Blocks, Dag, Mfs as MfsToken } from '../../../core/index.ts'
import { DIRECTORY_DATA } from '../../../core/unixfs/import/encode.ts'
import { itemsOf, testHost } from '../../../host/testing.ts'
import { V0 } from '../../../plugins/mfs/naming.ts'
import type { Directory } from '../../../plugins/mfs/tree/directory.ts'
import { Nodes } from '../../../plugins/mfs/tree/nodes.ts'
import { openTree as openMutable } from '../../../plugins/mfs/tree/tree.ts'
import { uploadOf } from '../../core/unixfs/import/upload.ts'
import { newTree, treeOf } from './helpers.ts'

const SEED = Number(process.env['MODEL_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const RUNS = Number(process.env['MODEL_RUNS'] ?? 25)

for (const [count, removed] of [
  [90, 1],
  [1001, 5]
] as const)
  test(`of ${count} entries of a sharded directory with a threshold of one byte, ${count - removed} are left when ${removed} went`, async t => {
    const tree = await newTree(t, { threshold: '1B' })
    const names = Array.from({ length: count }, (_, i) => `entry-${String(i).padStart(4, '0')}`)
    const [, ...rest] = await itemsOf<{ Hash: string }>(
      tree.host.call('add', { body: uploadOf(names.map(name => [`d/${name}`, name])), options: { pin: false } })
    )
    await tree.call('files/cp', [`/ipfs/${rest.at(-1)!.Hash}`, '/d'])
    for (const name of names.slice(0, removed - 1)) t.deepEqual(await itemsOf(tree.host.call('files/rm', { args: [`/d/${name}`] })), [])
    await tree.call('files/mv', [`/d/${names[removed - 1]}`, '/out'])
    t.deepEqual((await tree.names('/d')).sort(), names.slice(removed).sort())
  })

/** A size from 1 to `most`, small ones as often as large ones. */
const sizeTo = (most: number) => fc.double({ min: 0, max: 1, noNaN: true }).map(x => Math.round(most ** x))
/** What is done to the directory: how many entries go, come anew, or change their names, beginning with which. */
const change = fc.record({ kind: fc.constantFrom('rm', 'add', 'mv', 'out', 'reopen'), from: fc.nat(5000), count: sizeTo(400) })

test(`entries that go and come leave all others where they are, at thresholds from 1 B to 1 MiB (seed ${SEED})`, async t => {
  t.timeout(60_000 + RUNS * 20_000)
  const property = fc.asyncProperty(
    sizeTo(2 ** 20),
    sizeTo(5000),
    sizeTo(255),
    fc.array(change, { minLength: 1, maxLength: 6 }),
    async (threshold, count, length, changes) => {
      const host = await testHost({
        node: { 'Internal.UnixFSShardingSizeThreshold': `${threshold}B` },
        configuration: { plugins: { mfs: { held: 1024 } } }
      })
      try {
        const tree = treeOf(host)
        const mfs = host.service(MfsToken)!
        let made = 0
        // as many different ones as names of that length can spell
        const newName = () => (made++).toString(36).padStart(length, 'n').slice(0, 255)
        const names = new Set(Array.from({ length: count }, newName))
        const added = await itemsOf<{ Hash: string }>(
          host.call('add', { body: uploadOf([...names].map(name => [`d/${name}`, 'content'])), options: { pin: false } })
        )
        await mfs.copy(`/ipfs/${added.at(-1)!.Hash}`, '/d')
        await mfs.mkdir('/out')
        const root = await mfs.flush('/')
        const hold = async (what: string) => {
          const found = await tree.names('/d')
          if (found.length !== names.size || found.some(name => !names.has(name)))
            throw new Error(`${what}: ${found.length} entries, not ${names.size}`)
        }
        await hold('copied')
        for (const [i, { kind, from, count }] of changes.entries()) {
          const order = [...names].sort()
          const chosen = Array.from({ length: Math.min(count, order.length) }, (_, at) => order[(from + at) % order.length]!)
          if (kind === 'reopen') await mfs.restore(await mfs.flush('/'))
          else if (kind === 'add')
            for (let at = 0; at < count; at++) {
              const name = newName()
              if (names.has(name)) continue
              await mfs.mkdir(`/d/${name}`, { flush: false })
              names.add(name)
            }
          else
            for (const name of chosen) {
              names.delete(name)
              if (kind === 'rm') await mfs.remove(`/d/${name}`, { recursive: true, flush: false })
              else if (kind === 'out') await mfs.move(`/d/${name}`, `/out/${i}${name}`.slice(0, 200), { flush: false })
              else {
                const other = newName()
                if (names.has(other)) await mfs.remove(`/d/${name}`, { recursive: true, flush: false })
                else await mfs.move(`/d/${name}`, `/d/${other}`, { flush: false })
                names.add(other)
              }
            }
          await hold(`${i}: ${kind}`)
        }
        await mfs.restore(root)
      } finally {
        await host.stop()
      }
    }
  )
  await fc.assert(property, { numRuns: RUNS, seed: SEED, ...(process.env['MODEL_PATH'] ? { path: process.env['MODEL_PATH'] } : {}) })
  t.pass()
})

test('the shard with the entry of a directory stays in memory as long as the directory, which may change at any time', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const nodes = new Nodes(host.service(Blocks)!, host.service(Dag)!)
  const limits = { threshold: 1, held: 1000 }
  const made = await openMutable(nodes.make(V0, [], DIRECTORY_DATA).cid, nodes, limits)
  const names = Array.from({ length: 2000 }, (_, i) => `entry-${i}`)
  for (const name of names) await made.run(() => made.mkdir(made.root, name, V0))
  const { cid } = made.fold(made.root)
  await nodes.store()
  const tree = await openMutable(cid, nodes, limits)
  const used = names.slice(0, 5)
  for (const [i, name] of names.slice(5).entries()) {
    await tree.run(() => tree.lookup([name]))
    if (i % 20 > 0) continue
    for (const one of used) await tree.run(() => tree.lookup([one]))
    tree.trim()
  }
  for (const one of used) await tree.run(() => tree.mkdir(tree.lookup([one]) as Directory, 'inner', V0))
  tree.fold(tree.root)
  t.truthy(await tree.run(() => tree.lookup([used[4]!, 'inner'])))
})

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { parseCid } from '../../core/cid/parse.ts'
import { Collector, service, token, WriteBarrier } from '../../core/index.ts'
import { testHost } from '../../host/testing.ts'
import { named } from '../helpers/plugin.ts'
import { put } from '../plugins/blocks/host.ts'
import { Shelf } from './shelf.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const ShelfToken = token<Shelf>('shelf')

test('the example of a service that keeps things keeps them', async t => {
  const shelves = named('shelves', {
    provides: [
      service(ShelfToken, {
        needs: { collector: Collector, barrier: WriteBarrier },
        make: s => new Shelf(s.collector, s.barrier)
      })
    ]
  })
  const host = await testHost({ plugins: [shelves] })
  t.teardown(() => host.stop())
  const [kept, loose] = [await put(host, 'kept'), await put(host, 'loose')]
  const shelf = host.service(ShelfToken)!
  const id = await shelf.put(parseCid(kept))
  const collected = async () => {
    const cids: string[] = []
    for await (const item of host.service(Collector)!.collect()) cids.push('cid' in item ? item.cid.toString() : item.error.message)
    return cids
  }
  t.deepEqual(await collected(), [loose])
  shelf.take(id)
  t.deepEqual(await collected(), [kept])
})

test('the guide shows the example as it is', async t => {
  const [guide, example] = await Promise.all(
    ['docs/pins-and-collection.md', 'test/examples/shelf.ts'].map(file => readFile(`${root}${file}`, 'utf8'))
  )
  t.true(guide!.includes(example!))
})

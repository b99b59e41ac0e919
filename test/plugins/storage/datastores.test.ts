import { Key } from 'interface-datastore'
import { all } from '../../helpers/streams.ts'
import { backends, type Opened } from './backends.ts'
import { testsWith } from './with-store.ts'

const text = (value: string) => new TextEncoder().encode(value)

for (const backend of backends) {
  const withStore = testsWith(backend)

  async function fill({ data }: Opened, names: readonly string[]): Promise<void> {
    const batch = data.batch()
    for (const name of names) batch.put(new Key(name), text(name))
    await batch.commit()
  }

  const namesOf = async ({ data }: Opened, prefix: string) => (await all(data.queryKeys({ prefix }))).map(key => key.toString()).sort()

  const names = ['/a', '/name', '/names/x', '/namesake', '/pins', '/pins/a', '/pins/index/b', '/pinsomething', '/z/ü', '/z/√']

  withStore('answers a query by the start of the key, wherever the key lies', async (t, opened) => {
    await fill(opened, names)
    for (const prefix of [
      '',
      '/',
      '/n',
      '/name',
      '/names',
      '/names/',
      '/names/x',
      '/pin',
      '/pins',
      '/pins/',
      '/pins/i',
      '/z/ü',
      '/none',
      '/pins/none'
    ])
      t.deepEqual(await namesOf(opened, prefix), names.filter(name => name.startsWith(prefix)).sort(), prefix)
  })

  withStore('writes a batch over all kinds of keys as one', async (t, opened) => {
    const { data } = opened
    await fill(opened, names)
    const batch = data.batch()
    for (const name of names) batch.delete(new Key(name))
    batch.put(new Key('/pins/new'), text('1'))
    batch.put(new Key('/names/new'), text('2'))
    batch.put(new Key('/new'), text('3'))
    t.deepEqual(await namesOf(opened, ''), [...names].sort())
    await batch.commit()
    t.deepEqual(await namesOf(opened, ''), ['/names/new', '/new', '/pins/new'])
  })

  withStore('applies the operations of a batch in their order, and a batch once', async (t, { data }) => {
    const key = new Key('/a')
    const batch = data.batch()
    batch.put(key, text('1'))
    batch.delete(key)
    batch.put(key, text('2'))
    await batch.commit()
    t.deepEqual(await data.get(key), text('2'))
    await data.put(key, text('3'))
    await batch.commit()
    t.deepEqual(await data.get(key), text('3'))
  })

  withStore('keeps empty and large values', async (t, { data }) => {
    const large = new Uint8Array(3_000_000).fill(7)
    await data.put(new Key('/empty'), new Uint8Array())
    await data.put(new Key('/large'), large)
    t.deepEqual(await data.get(new Key('/empty')), new Uint8Array())
    t.true(await data.has(new Key('/empty')))
    t.deepEqual(await data.get(new Key('/large')), large)
    t.deepEqual((await all(data.query({ prefix: '/empty' })))[0]?.value, new Uint8Array())
  })

  withStore('gives entries in the order of their keys', async (t, opened) => {
    const names = Array.from({ length: 600 }, (_, i) => `/k/${String(i).padStart(4, '0')}`)
    await fill(opened, [...names].reverse())
    const keys = await all(opened.data.queryKeys({ prefix: '/k/' }))
    t.deepEqual(
      keys.map(key => key.toString()),
      names
    )
  })

  withStore('filters, orders, skips and limits, in this order', async (t, opened) => {
    await fill(opened, ['/k/1', '/k/2', '/k/3', '/k/4', '/k/5', '/k/6'])
    const found = await all(
      opened.data.queryKeys({
        prefix: '/k',
        filters: [key => key.toString() !== '/k/4'],
        orders: [(a, b) => (a.toString() < b.toString() ? 1 : -1)],
        offset: 1,
        limit: 3
      })
    )
    t.deepEqual(
      found.map(key => key.toString()),
      ['/k/5', '/k/3', '/k/2']
    )
    t.deepEqual(await all(opened.data.query({ prefix: '/k', limit: 0 })), [])
    t.deepEqual(await all(opened.data.query({ prefix: '/k', offset: 6 })), [])
  })

  withStore('ends a query with its consumer', async (t, opened) => {
    await fill(
      opened,
      Array.from({ length: 2000 }, (_, i) => `/k/${i}`)
    )
    for await (const { key } of opened.data.query({ prefix: '/k' })) {
      t.true(key.toString().startsWith('/k'))
      break
    }
  })

  withStore('does not show a query what is written while it runs', async (t, opened) => {
    await fill(opened, ['/k/1', '/k/3'])
    const seen: string[] = []
    for await (const key of opened.data.queryKeys({ prefix: '/k' })) {
      seen.push(key.toString())
      await opened.data.put(new Key('/k/2'), text(''))
    }
    t.deepEqual(seen, ['/k/1', '/k/3'])
  })

  withStore('resolves a durability point, also when many ask at once', async (t, { data }) => {
    await data.put(new Key('/a'), text('1'))
    await t.notThrowsAsync(Promise.all(Array.from({ length: 20 }, () => data.sync?.())))
  })
}

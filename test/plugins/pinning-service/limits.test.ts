import { connect } from 'node:net'
import test from 'ava'
import { type Blocks, Blocks as BlocksToken, type CID, inner, plugin, service } from '../../../core/index.ts'
import { itemsOf, upload } from '../../../host/testing.ts'
import { until } from '../../helpers/until.ts'
import { ABSENT, datastoreWith, servingNode } from './world.ts'

/** Blocks that are not here never come, as on a node whose peers do not answer. */
const silent = plugin({
  name: 'silent',
  api: '^1',
  about: 'Waits for blocks that are not here.',
  provides: [
    service(BlocksToken, {
      needs: { blocks: inner(BlocksToken) },
      make: ({ blocks }): Blocks =>
        new Proxy(blocks, {
          get(of, name) {
            if (name !== 'get')
              return typeof of[name as never] === 'function' ? (of[name as never] as () => void).bind(of) : of[name as never]
            return async (cid: CID, options: { signal?: AbortSignal } = {}) => {
              if (await of.has(cid)) return of.get(cid, options)
              return new Promise((_, reject) =>
                options.signal?.addEventListener('abort', () => reject(options.signal!.reason), { once: true })
              )
            }
          }
        })
    })
  ]
})

/** A disk that is full, once it is said to be. */
const disk = { isFull: false }
const full = datastoreWith('full', 'Writes no batch while the disk is full.', of => ({
  batch() {
    const batch = of.batch()
    const commit = async () => {
      if (disk.isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      return batch.commit()
    }
    return { put: batch.put.bind(batch), delete: batch.delete.bind(batch), commit }
  }
}))

const SILENT = { plugins: [silent] }

test('a body that is too long, or too slow, is not read, and many are not held', async t => {
  const node = await servingNode(t, { settings: { limits: { bodyBytes: 1000, bodyTimeout: 200 } } })
  const long = await node.ask('POST', '/pins', { body: { cid: ABSENT, meta: { a: 'x'.repeat(1000) } } })
  t.deepEqual([long.status, long.json.error.reason], [413, 'PAYLOAD_TOO_LARGE'])
  t.regex(long.json.error.details, /plugins\.pinning-service\.limits\.bodyBytes|limits\.bodyBytes/)
  const { hostname, port } = new URL(node.url)
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('data', data => {
      text += data
      if (text.includes('}}')) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
    socket.write(
      `POST /pins HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${node.token}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`
    )
  })
  t.regex(answer, /^HTTP\/1\.1 408 /)
  t.regex(answer, /limits\.bodyTimeout/)
  const full = await servingNode(t, { settings: { limits: { maxInputs: 10 } } })
  const held = await full.ask('POST', '/pins', { body: { cid: ABSENT } })
  t.deepEqual([held.status, held.json.error.reason], [503, 'BUSY'])
  t.regex(held.json.error.details, /limits\.maxInputs/)
})

test('a list has as many requests as fit into an answer, one at least, and pages have them all', async t => {
  const node = await servingNode(t, { settings: { limits: { answerBytes: 2500 } } })
  const ids: string[] = []
  for (const size of [10, 1000, 1000, 5000, 10]) ids.unshift((await node.post(ABSENT, { meta: { a: 'x'.repeat(size) } })).requestid)
  const pages: number[] = []
  const got: string[] = []
  for (let before = ''; got.length < ids.length; ) {
    const { json } = await node.ask('GET', `/pins?limit=1000&status=queued,pinning,pinned,failed${before}`)
    t.is(json.count, ids.length - got.length)
    pages.push(json.results.length)
    got.push(...json.results.map(({ requestid }) => requestid))
    before = `&before=${json.results.at(-1)!.created}`
  }
  t.deepEqual(got, ids)
  t.deepEqual(pages, [1, 1, 3])
})

test('a token asks so often, and others are not slowed by it', async t => {
  const node = await servingNode(t, { settings: { limits: { perSecond: 0.01, burst: 3 } } })
  const bob = await node.makeToken('bob')
  for (let i = 0; i < 3; i++) t.is((await node.ask('GET', '/pins')).status, 200)
  const over = await node.ask('GET', '/pins')
  t.deepEqual([over.status, over.json.error.reason], [429, 'TOO_MANY_REQUESTS'])
  t.true(Number(over.headers.get('retry-after')) > 50)
  t.regex(over.json.error.details, /limits\.perSecond/)
  t.is((await node.ask('GET', '/pins', { token: bob })).status, 200)
})

test('so many requests are kept, of one token and of all; those that end make room', async t => {
  const node = await servingNode(t, { settings: { limits: { requests: 3, requestsPerToken: 2 } } })
  const bob = await node.makeToken('bob')
  const first = await node.post(ABSENT)
  const second = await node.post(ABSENT)
  const more = await node.ask('POST', '/pins', { body: { cid: ABSENT } })
  t.deepEqual([more.status, more.json.error.reason], [409, 'INSUFFICIENT_FUNDS'])
  t.regex(more.json.error.details, /2 requests.*limits\.requestsPerToken/)
  t.is((await node.ask('POST', `/pins/${first.requestid}`, { body: { cid: ABSENT } })).status, 202, 'one in the place of another')
  await node.post(ABSENT, {}, bob)
  const full = await node.ask('POST', '/pins', { body: { cid: ABSENT }, token: bob })
  t.regex(full.json.error.details, /3 requests.*limits\.requests/)
  await node.ask('DELETE', `/pins/${second.requestid}`)
  await node.post(ABSENT)
  const at = await Promise.all(Array.from({ length: 5 }, () => node.ask('POST', '/pins', { body: { cid: ABSENT }, token: bob })))
  t.deepEqual([...new Set(at.map(({ status }) => status))], [409])
})

test('a pin that stalls, takes too long or has too many nodes fails, and its place is free again', async t => {
  for (const [limits, what] of [
    [{ stallTimeout: 50 }, /nothing of it came in 50 ms .*limits\.stallTimeout/],
    [{ pinTimeout: 50 }, /not there in 50 ms .*limits\.pinTimeout/]
  ] as const) {
    const node = await servingNode(t, {
      ...SILENT,
      settings: { limits: { parallel: 1, ...limits } },
      services: { blocks: ['silent', 'blocks'] }
    })
    const { requestid } = await node.post(ABSENT)
    t.regex((await node.has(requestid, 'failed')).info!.status_details!, what)
    const cid = await node.stored('here')
    await node.has((await node.post(cid)).requestid, 'pinned')
  }
  const node = await servingNode(t, { settings: { limits: { nodes: 3 } } })
  const added = await itemsOf<{ Hash: string }>(
    await node.host.call('add', { body: upload('0123456789'), options: { pin: false, chunker: 'size-1' } })
  )
  const { requestid } = await node.post(added[0]!.Hash)
  t.regex((await node.has(requestid, 'failed')).info!.status_details!, /more than 3 nodes .*limits\.nodes/)
  t.deepEqual(await node.pins(), [])
})

test('so many are worked on at a time; one that is removed ends, and the next begins', async t => {
  const node = await servingNode(t, { ...SILENT, settings: { limits: { parallel: 2 } }, services: { blocks: ['silent', 'blocks'] } })
  const asked = [await node.post(ABSENT), await node.post(ABSENT), await node.post(ABSENT), await node.post(ABSENT)]
  const states = async () => Promise.all(asked.map(async ({ requestid }) => (await node.ask('GET', `/pins/${requestid}`)).json.status))
  t.deepEqual(await states(), ['pinning', 'pinning', 'queued', 'queued'])
  t.is((await node.ask('GET', '/pins?status=pinning')).json.count, 2)
  t.is((await node.ask('GET', '/pins?status=queued')).json.count, 2)
  await node.ask('DELETE', `/pins/${asked[0]!.requestid}`)
  await node.ask('DELETE', `/pins/${asked[1]!.requestid}`)
  await until('both others', async () => (await states()).slice(2).every(status => status === 'pinning'))
})

test('a client whose pins stall holds its share of what is worked on, and gives up the rest to those that wait', async t => {
  const node = await servingNode(t, { ...SILENT, settings: { limits: { parallel: 4 } }, services: { blocks: ['silent', 'blocks'] } })
  const tokens = { alice: node.token, bob: await node.makeToken('bob'), carol: await node.makeToken('carol') }
  const pinning = async () =>
    Promise.all(Object.values(tokens).map(async token => (await node.ask('GET', '/pins?status=pinning&limit=1000', { token })).json.count))
  const asked = await Promise.all(Array.from({ length: 20 }, () => node.post(ABSENT)))
  t.deepEqual(await pinning(), [4, 0, 0], 'all of it where nobody else waits')
  const here = await node.stored('here')
  await node.has((await node.post(here, {}, tokens.bob)).requestid, 'pinned', tokens.bob)
  await until('what was given up goes on', async () => (await pinning())[0] === 4)
  const others = await Promise.all(Array.from({ length: 20 }, () => node.post(ABSENT, {}, tokens.bob)))
  await until('halves', async () => (await pinning()).join() === '2,2,0')
  const third = await node.post(ABSENT, {}, tokens.carol)
  await node.has(third.requestid, 'pinning', tokens.carol)
  t.is(
    (await pinning()).reduce((sum, count) => sum + count),
    4
  )
  for (const { requestid } of others) await node.ask('DELETE', `/pins/${requestid}`, { token: tokens.bob })
  await until('what others leave is taken', async () => (await pinning()).join() === '3,0,1')
  for (const { requestid } of asked) await node.ask('DELETE', `/pins/${requestid}`)
  await node.ask('DELETE', `/pins/${third.requestid}`, { token: tokens.carol })
  await until('an end', async () => (await pinning()).join() === '0,0,0')
  t.deepEqual(await node.pins(), [`${here} recursive pinning-service`])
})

test('a pin that replaces another and gives up its place leaves that one until it is there', async t => {
  const node = await servingNode(t, { ...SILENT, settings: { limits: { parallel: 2 } }, services: { blocks: ['silent', 'blocks'] } })
  const bob = await node.makeToken('bob')
  const here = await node.stored('here')
  const old = await node.post(here)
  await node.has(old.requestid, 'pinned')
  // what asked first has waited longest for a node, and gives up its place first
  const { json } = await node.ask('POST', `/pins/${old.requestid}`, { body: { cid: ABSENT } })
  await node.has(json.requestid, 'pinning')
  await node.has((await node.post(ABSENT)).requestid, 'pinning')
  await node.has((await node.post(ABSENT, {}, bob)).requestid, 'pinning', bob)
  await node.has(json.requestid, 'queued')
  t.deepEqual(await node.pins(), [`${here} recursive pinning-service`])
  await node.ask('DELETE', `/pins/${json.requestid}`)
  await until('the end of the replaced pin', async () => (await node.pins()).length === 0)
})

test.serial('a request that cannot be written down is refused in the form of the API, and none is half there', async t => {
  const node = await servingNode(t, { plugins: [full], services: { datastore: ['full', 'storage-memory'] } })
  const cid = await node.stored('one')
  const { requestid } = await node.post(cid)
  await node.has(requestid, 'pinned')
  disk.isFull = true
  for (const [method, path, body] of [
    ['POST', '/pins', { cid }],
    ['POST', `/pins/${requestid}`, { cid: ABSENT }],
    ['DELETE', `/pins/${requestid}`, undefined]
  ] as const) {
    const { status, json } = await node.ask(method, path, { body })
    t.deepEqual([status, json.error.reason], [500, 'INTERNAL_SERVER_ERROR'], method)
  }
  disk.isFull = false
  const { json } = await node.ask('GET', '/pins?status=queued,pinning,pinned,failed')
  t.deepEqual(
    json.results.map(one => [one.requestid, one.status]),
    [[requestid, 'pinned']]
  )
  t.deepEqual(await node.pins(), [`${cid} recursive pinning-service`])
  t.is((await node.ask('DELETE', `/pins/${requestid}`)).status, 202)
  t.deepEqual(await node.pins(), [])
})

/** Bounds of what a request can make the gateway say. */
import { encode } from '@ipld/dag-cbor'
import test from 'ava'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { DAG_CBOR, RAW } from '../../../core/cid/index.ts'
import { SharedTurns } from '../../../plugins/gateway/reply/shared-turns.ts'
import { RecordQuota } from '../../../plugins/gateway/routing/quota.ts'
import { putFolder } from './rows/content.ts'
import { world } from './world.ts'

test('CIDs that hold a block are in no field of an answer', async t => {
  const at = await world(t)
  const inline = (codec: number, bytes: Uint8Array) => CID.createV1(codec, identity.digest(bytes))
  const inner = inline(DAG_CBOR, encode({ to: CID.parse('bafkqaaa'), pad: 'x'.repeat(1_000_000) }))
  const data = await at.put(encode({ to: inner }), DAG_CBOR)
  const folder = await putFolder(at, [{ name: 'a', cid: inline(RAW, Buffer.alloc(300_000, 'a')).toString() }])
  for (const path of [
    `/ipfs/${data}/to`,
    `/ipfs/${data}/to?format=raw`,
    `/ipfs/${data}/to?format=car`,
    `/ipfs/${data}/to/to`,
    `/ipfs/${folder}/a`,
    `/ipfs/${folder}/a?download=true`,
    `/ipfs/${folder}/a?format=car`,
    `/ipfs/${folder}/a?format=tar`
  ]) {
    const { status, headers } = await at.get(path)
    t.is(status, 200, path)
    t.is(headers['x-ipfs-roots'], undefined, path)
    t.true(JSON.stringify(headers).length < 4096, path)
    const tag = headers.etag!
    t.is((await at.get(path, { 'if-none-match': tag })).status, 304, path)
  }
  const missing = await at.get(`/ipfs/${data}/to/none`)
  t.is(missing.status, 404)
  t.true(missing.text.length < 40_000)
  const listed = await at.get(`/ipfs/${folder}/`)
  t.true(listed.text.length < 10_000)
  t.true(listed.text.includes(`<a href="/ipfs/${folder}/a">a</a>`))
})

test('X-Ipfs-Roots is told up to 4096 bytes of CIDs, and left out beyond', async t => {
  const at = await world(t)
  let root = await putFolder(at, [])
  for (let i = 0; i < 200; i++) root = await putFolder(at, [{ name: 'd', cid: root }])
  const roots = async (deep: number) => (await at.get(`/ipfs/${root}${'/d'.repeat(deep)}/`)).headers['x-ipfs-roots'] as string | undefined
  t.is((await roots(112))?.split(',').length, 113)
  t.is(await roots(113), undefined)
})

test('a path of very many segments has links for the first ones alone', async t => {
  const at = await world(t)
  let root = await putFolder(at, [])
  for (let i = 0; i < 5000; i++) root = await putFolder(at, [{ name: 'd', cid: root }])
  const { status, text } = await at.get(`/ipfs/${root}${'/d'.repeat(5000)}/`)
  t.is(status, 200)
  t.true(text.length < 3_000_000, `${text.length} characters`)
})

test('a block of data that is too large to be read in a moment is sent as it is, and its page says so', async t => {
  const at = await world(t, { settings: { limits: { previewBytes: 1000 } } })
  const bytes = encode('x'.repeat(2000))
  const cid = await at.put(bytes, DAG_CBOR)
  t.deepEqual((await at.get(`/ipfs/${cid}`)).bytes, Buffer.from(bytes))
  const page = await at.get(`/ipfs/${cid}/`, { accept: 'text/html' })
  t.is(page.status, 200)
  t.true(page.text.includes(`The block has ${bytes.length} bytes, too many to be shown here.`))
  const broken = await at.put(Buffer.alloc(900, 0xff), DAG_CBOR)
  t.is((await at.get(`/ipfs/${broken}`)).status, 500)
})

test('names whose records are put are counted once in a day, of one caller and of all', t => {
  let now = 0
  const quota = new RecordQuota({ records: 3, recordsPerCaller: 2 }, () => now)
  const take = (who: string | undefined, name: string) => quota.take(who, name)
  take('a', '1')
  take('a', '1')
  take('a', '2')
  const refused = t.throws(() => take('a', '3'), { code: 'E_ROUTING_RECORDS' })
  t.is(
    refused?.message,
    'Too many requests. Please retry after 86400 seconds. Records of 2 names were put today (plugins.gateway.limits.recordsPerCaller).'
  )
  take('b', '3')
  now = 3_600_000
  t.throws(() => take('c', '4'), { message: /retry after 82800 seconds\. Records of 3 names .*plugins\.gateway\.limits\.records\)/ })
  t.notThrows(() => take('c', '3'), 'one that is counted already')
  now = 86_400_000
  t.notThrows(() => take('a', '4'))
})

test('long answers go on in their order, in each turn of the event loop as many as write so much', async t => {
  const turns = new SharedTurns(10)
  const gone: number[] = []
  for (const i of [0, 1, 2, 3, 4, 5]) void turns.take(i === 0 ? 100 : 4).then(() => gone.push(i))
  t.deepEqual(gone, [])
  const seen: number[][] = []
  while (gone.length < 6) {
    await new Promise(resolve => setImmediate(resolve))
    seen.push([...gone])
  }
  // what is larger than a turn has one to itself
  t.deepEqual(seen, [[0], [0, 1, 2, 3], [0, 1, 2, 3, 4, 5]])
})

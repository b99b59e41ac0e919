/** Blocks by RASL (dasl.ing/rasl.html), where the setting has the gateway serve them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as dagCbor from '@ipld/dag-cbor'
import test from 'ava'
import { base16 } from 'multiformats/bases/base16'
import { DAG_CBOR, DAG_JSON, DAG_PB, parseCid, RAW } from '../../../../core/cid/index.ts'
import { Blocks, CID } from '../../../../core/index.ts'
import { testHost } from '../../../../host/testing.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { world } from '../world.ts'

const served = { settings: { rasl: true } }
const hello = Buffer.from('hello')

test('blocks that DASL has names for are served as they are, where the setting says so', async t => {
  const at = await world(t, served)
  const value = dagCbor.encode({ a: [1, 2] })
  for (const [bytes, codec] of [
    [hello, RAW],
    [value, DAG_CBOR]
  ] as const) {
    const cid = await at.put(bytes, codec)
    const answer = await at.get(`/.well-known/rasl/${cid}`)
    t.is(answer.status, 200)
    t.deepEqual(answer.bytes, Buffer.from(bytes))
    t.is(answer.headers['content-type'], 'application/vnd.ipld.raw')
    t.is(answer.headers['cache-control'], 'public, max-age=29030400, immutable')
    const negotiated = await at.get(`/.well-known/rasl/${cid}?format=car`, { accept: 'application/vnd.ipld.car' })
    t.deepEqual(negotiated.bytes, Buffer.from(bytes), 'nothing is negotiated')
    const head = await at.ask({ method: 'HEAD', path: `/.well-known/rasl/${cid}` })
    t.deepEqual([head.status, head.headers['content-length'], head.bytes.length], [200, String(bytes.length), 0])
    t.is((await at.ask({ method: 'POST', path: `/.well-known/rasl/${cid}` })).status, 405)
  }
  t.is((await at.get(`/.well-known/rasl/${CID.createV1(DAG_CBOR, parseCid(await at.put(hello, RAW)).multihash)}`)).status, 200)
})

test('nothing is served by RASL by default, nor on a host with rules of its own or of a site', async t => {
  const off = await world(t)
  t.is((await off.get(`/.well-known/rasl/${await off.put(hello, RAW)}`)).status, 404)
  const on = await world(t, served)
  const cid = await on.put(hello, RAW)
  const { root } = await on.add({ 'index.html': 'a site' })
  for (const host of ['localhost', `${root}.ipfs.localhost`]) {
    t.is((await on.get(`/.well-known/rasl/${cid}`, { host })).status, 404, host)
  }
})

test('what is no CID of DASL is refused by its name', async t => {
  const at = await world(t, served)
  const cid = parseCid(await at.put(hello, RAW))
  const identity = CID.parse('bafkqabtimvwgy3yk')
  for (const name of [
    String(CID.createV1(DAG_PB, cid.multihash).toV0()),
    String(CID.createV1(DAG_PB, cid.multihash)),
    String(CID.createV1(DAG_JSON, cid.multihash)),
    String(identity),
    String(cid).toUpperCase(),
    cid.toString(base16),
    `${cid}/`,
    `${cid}/a`,
    'index.html',
    ''
  ]) {
    const answer = await at.get(`/.well-known/rasl/${name}`)
    t.is(answer.status, 400, name)
    t.regex(answer.text, /is no CID of DASL/)
  }
})

test('a denylist holds for what is served by RASL, and what is not here is 404', async t => {
  const folder = await temporaryFolder(t)
  const list = join(folder, 'a.deny')
  const plain = await world(t)
  const [denied, other] = [await plain.put(hello, RAW), await plain.put(Buffer.from('other'), RAW)]
  await writeFile(list, `/ipfs/${denied}\n`)
  const at = await world(t, { ...served, others: { denylist: { files: [list] } } })
  await at.put(hello, RAW)
  t.is((await at.get(`/.well-known/rasl/${denied}`)).status, 410)
  t.is((await at.get(`/.well-known/rasl/${other}`)).status, 404)
})

test('another node takes blocks from a host that serves them by RASL', async t => {
  const at = await world(t, served)
  const cid = await at.put(hello, RAW)
  const host = await testHost({ configuration: { plugins: { retrieval: { rasl: [`http://127.0.0.1:${at.port}`] } } as never } })
  t.teardown(() => host.stop())
  t.deepEqual(Buffer.from(await host.service(Blocks)!.get(parseCid(cid))), hello)
})

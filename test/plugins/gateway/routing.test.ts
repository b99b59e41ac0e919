import { connect } from 'node:net'
import test from 'ava'
import { parseCid } from '../../../core/cid/index.ts'
import { Denylist, type Router, Routing, type RoutingEvent, ready } from '../../../core/index.ts'
import { formatName } from '../../../core/ipns/index.ts'
import { parsePeerId } from '../../../core/keys/index.ts'
import { HttpRouter } from '../../../plugins/routing/http/client.ts'
import { all } from '../../helpers/streams.ts'
import { recordOf, signer } from '../name/helpers.ts'
import { world } from './world.ts'

const CID = 'bafkreiczsvnl7rii4wvvm2dmyj4i2oagntkuacrrqhzefzeyrxut5jcqoy'
const PEER = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
const ADDRESS = '/ip4/192.0.2.7/tcp/4001'
const TYPE = 'application/vnd.ipfs.ipns-record'
const exposed = { config: { 'Gateway.ExposeRoutingAPI': true } }

/** Routers that find 30 providers of one CID, one peer, and keep what is put. */
function found(put: Uint8Array[] = []): Routing {
  const provider: RoutingEvent = { type: 'provider', provider: { id: PEER, addresses: [ADDRESS] } }
  const router: Required<Router> = {
    name: 'fake',
    async *findProviders(cid) {
      if (String(cid) === CID) for (let i = 0; i < 30; i++) yield provider
    },
    async *findPeer(peer) {
      yield { type: 'asking', peer }
      if (peer === PEER) yield { type: 'peer', found: { id: PEER, addresses: [ADDRESS] } }
    },
    async *provide() {},
    async *getValue() {},
    async *putValue(_, value) {
      put.push(value)
    }
  }
  return { ...router, hasPeers: true, add: () => ({ release: () => {} }) as never, onPeer: () => () => {} }
}

test('routing requests are answered as the delegated routing specification has it', async t => {
  const at = await world(t, { ...exposed, services: [ready(Routing, found())] })
  const path = `/routing/v1/providers/${CID}`
  const whole = await at.get(path)
  t.is(whole.headers['content-type'], 'application/json')
  t.is(whole.headers['cache-control'], 'public, max-age=300, stale-while-revalidate=172800, stale-if-error=172800')
  t.deepEqual(JSON.parse(whole.text).Providers.length, 20)
  t.deepEqual(JSON.parse(whole.text).Providers[0], { Schema: 'peer', ID: PEER, Addrs: [ADDRESS] })
  const lines = await at.get(path, { accept: 'application/x-ndjson, application/json' })
  t.is(lines.headers['content-type'], 'application/x-ndjson')
  t.is(lines.text.split('\n').length, 31)
  t.deepEqual(JSON.parse((await at.get(`/routing/v1/peers/${PEER}`)).text).Peers, [{ Schema: 'peer', ID: PEER, Addrs: [ADDRESS] }])
  t.is((await at.get(path, { accept: 'text/html' })).text, 'no supported content types')
  t.is((await at.ask({ method: 'POST', path })).status, 405)
  t.is((await at.ask({ method: 'HEAD', path })).status, 405)
  t.is((await at.get('/routing/v1/none')).status, 404)
  t.is((await at.ask({ path, headers: { host: 'localhost' } })).status, 404, 'a host with rules of its own serves its Paths alone')
})

test('a node asks another as its router', async t => {
  const at = await world(t, { ...exposed, services: [ready(Routing, found())] })
  const endpoint = `http://127.0.0.1:${at.port}`
  const router = new HttpRouter({
    endpoint,
    agent: 'test',
    timeout: 10_000,
    maxBytes: 1 << 20
  })
  const providers = await all(router.findProviders(parseCid(CID)))
  t.deepEqual(providers, [{ type: 'provider', provider: { id: PEER, addresses: [ADDRESS] } }])
  const peers = await all(router.findPeer(PEER))
  t.deepEqual(peers, [{ type: 'peer', found: { id: PEER, addresses: [ADDRESS] } }])
  t.deepEqual(await all(router.findProviders(parseCid('bafkqaaa'))), [])
})

test('a good record is taken, given back and handed on; a bad one is not', async t => {
  const put: Uint8Array[] = []
  const at = await world(t, { ...exposed, services: [ready(Routing, found(put))] })
  const key = await signer()
  const name = formatName(parsePeerId(key.peerId))
  const url = `http://127.0.0.1:${at.port}/routing/v1/ipns/${name}`
  const give = (body: Uint8Array, type = TYPE) => fetch(url, { method: 'PUT', body: Buffer.from(body), headers: { 'content-type': type } })
  t.is((await fetch(url)).status, 404)
  const bytes = await recordOf(key, { sequence: 2n })
  t.is((await give(bytes, 'text/plain')).status, 400)
  t.is((await give(Buffer.alloc(20_000))).status, 400)
  t.is((await give(await recordOf(await signer()))).status, 400, "another key's")
  t.deepEqual(put, [])
  t.is((await give(bytes)).status, 200)
  t.deepEqual(
    put.map(each => Buffer.from(each)),
    [Buffer.from(bytes)]
  )
  t.is((await give(await recordOf(key, { sequence: 1n }))).status, 400, 'an older one')
  const answer = await fetch(url)
  t.deepEqual([answer.status, answer.headers.get('content-type')], [200, TYPE])
  t.deepEqual(Buffer.from(await answer.arrayBuffer()), Buffer.from(bytes))
})

test('records of so many names are taken from a caller in a day, and no body is waited for without end', async t => {
  const settings = { retrievalTimeoutMs: 300, limits: { recordsPerCaller: 1 } }
  const at = await world(t, { ...exposed, settings, services: [ready(Routing, found())] })
  const urlOf = (peer: string) => `http://127.0.0.1:${at.port}/routing/v1/ipns/${formatName(parsePeerId(peer))}`
  const give = (peer: string, body: Uint8Array) =>
    fetch(urlOf(peer), { method: 'PUT', body: Buffer.from(body), headers: { 'content-type': TYPE } })
  const [one, other] = [await signer(), await signer()]
  t.is((await give(one.peerId, Buffer.from('none'))).status, 400, 'what is none is not counted')
  t.is((await give(one.peerId, await recordOf(one))).status, 200)
  t.is((await give(one.peerId, await recordOf(one, { sequence: 1n }))).status, 200, 'a newer one of the same name')
  const refused = await give(other.peerId, await recordOf(other))
  t.is(refused.status, 429)
  t.true(Number(refused.headers.get('retry-after')) > 86_000)
  t.regex(await refused.text(), /Records of 1 names were put today \(plugins\.gateway\.limits\.recordsPerCaller\)/)
  t.is((await fetch(urlOf(other.peerId))).status, 404)
  const socket = connect(at.port, '127.0.0.1')
  socket.on('error', () => {})
  const { pathname } = new URL(urlOf(one.peerId))
  socket.write(`PUT ${pathname} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${TYPE}\r\nContent-Length: 100\r\n\r\nabc`)
  let text = ''
  for await (const piece of socket) text += piece
  t.regex(text, /^HTTP\/1\.1 (?:408|50\d) /)
})

test('nothing is answered unless the configuration says so', async t => {
  const at = await world(t, { services: [ready(Routing, found())] })
  t.is((await at.get(`/routing/v1/providers/${CID}`)).status, 404)
})

test('what a denylist stands against is neither routed nor taken', async t => {
  const key = await signer()
  const name = formatName(parsePeerId(key.peerId))
  const denial = { status: 410 as const }
  const denylist: Denylist = {
    coversCalls: false,
    ofBlock: async cid => (String(cid) === CID ? denial : undefined),
    ofPath: async path => (path.namespace === 'ipns' && path.name === name ? denial : undefined)
  }
  const at = await world(t, { ...exposed, services: [ready(Routing, found()), ready(Denylist, denylist)] })
  t.is((await at.get(`/routing/v1/providers/${CID}`)).status, 410)
  const url = `http://127.0.0.1:${at.port}/routing/v1/ipns/${name}`
  t.is((await fetch(url)).status, 410)
  const body = Buffer.from(await recordOf(key))
  t.is((await fetch(url, { method: 'PUT', body, headers: { 'content-type': TYPE } })).status, 410)
})

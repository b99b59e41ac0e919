/** Behind a router: a port of a router of the test's own, whether others can dial it, and neighbours on the same network. */

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type AutoNATv2Components, autoNATv2 } from '@libp2p/autonat-v2'
import type { Connection, Startable, StreamHandler } from '@libp2p/interface'
import { streamPair } from '@libp2p/utils'
import test, { type ExecutionContext } from 'ava'
import { DIAL_REQUEST, dialsBackLittle, REQUESTS, Requests } from '../../../plugins/network/libp2p/autonat.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

const AUTONAT = '/libp2p/autonat/1.0.0'
const HOP = '/libp2p/circuit/relay/0.2.0/hop'
const OUTSIDE = '1.2.3.4'
const DEVICE = 'urn:schemas-upnp-org:device:InternetGatewayDevice:2'
const SERVICE = 'urn:schemas-upnp-org:service:WANIPConnection:2'

/** A router that speaks UPnP (Internet Gateway Device 2), with what it was asked. */
async function gateway(t: ExecutionContext): Promise<{ url: string; asked: Array<{ action: string; body: string }> }> {
  const asked: Array<{ action: string; body: string }> = []
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'text/xml')
    if (request.method === 'GET') {
      response.end(`<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><device><deviceType>${DEVICE}</deviceType>
        <UDN>uuid:of-the-test</UDN><serviceList><service><serviceType>${SERVICE}</serviceType><serviceId>urn:upnp-org:serviceId:WANIPConn1</serviceId>
        <SCPDURL>/scpd.xml</SCPDURL><controlURL>/control</controlURL><eventSubURL>/events</eventSubURL></service></serviceList></device></root>`)
      return
    }
    let body = ''
    for await (const part of request) body += part
    const action = /#(\w+)/.exec(String(request.headers['soapaction']))?.[1] ?? ''
    asked.push({ action, body })
    const port = /<NewExternalPort>(\d+)</.exec(body)?.[1]
    const said: Readonly<Record<string, string>> = {
      GetExternalIPAddress: `<NewExternalIPAddress>${OUTSIDE}</NewExternalIPAddress>`,
      AddAnyPortMapping: `<NewReservedPort>${port}</NewReservedPort>`
    }
    response.end(`<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
      <u:${action}Response xmlns:u="${SERVICE}">${said[action] ?? ''}</u:${action}Response></s:Body></s:Envelope>`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/description.xml`, asked }
}

/** A peer that answers every question whether an address can be dialled so, with the addresses that it was asked of. */
async function judge(t: ExecutionContext, status: 'OK' | 'E_DIAL_ERROR'): Promise<{ node: OnlineNode; asked: string[] }> {
  const node = await onlineNode(t, { node: { 'AutoNAT.ServiceMode': 'disabled', 'Routing.Type': 'none' } })
  const asked: string[] = []
  await node.network.handle(AUTONAT, async stream => {
    for await (const part of stream) {
      asked.push(Buffer.from(part).toString('hex'))
      // type DIAL_RESPONSE, and of the response its status
      await stream.write(Buffer.from([6, 0x08, 1, 0x1a, 2, 0x08, status === 'OK' ? 0 : 100]))
      return
    }
  })
  return { node, asked }
}

/** An address of this machine that is no loopback, which is what a router would be asked to forward to. */
const near = Object.values(networkInterfaces())
  .flat()
  .some(one => one?.family === 'IPv4' && !one.internal && !one.address.startsWith('169.254.'))

for (const status of ['OK', 'E_DIAL_ERROR'] as const) {
  const title =
    status === 'OK' ? 'is announced, and makes the node a relay, once a peer has dialled it' : 'is not announced while no peer can dial it'
  test(`a port that a router has opened ${title}`, async t => {
    if (!near) {
      t.log('not tried: this machine has no address but its own, and a router would be asked for nothing')
      return t.pass()
    }
    const { url, asked } = await gateway(t)
    const node = await onlineNode(t, {
      node: { 'Addresses.Swarm': ['/ip4/0.0.0.0/tcp/0'], 'Swarm.DisableNatPortMap': false, 'Routing.Type': 'none' },
      network: { gateways: [url] }
    })
    const port = /\/tcp\/(\d+)/.exec(node.network.listening().find(address => address.includes('/tcp/')) ?? '')?.[1]
    const mapping = await until('a port is opened', () => asked.find(({ action }) => action === 'AddAnyPortMapping'))
    t.regex(mapping.body, new RegExp(`<NewInternalPort>${port}<`))
    t.regex(mapping.body, /<NewProtocol>TCP</)
    const outside = `/ip4/${OUTSIDE}/tcp/${port}`
    t.false(node.network.announced().includes(outside), 'nobody has dialled it')
    // a machine whose own address is a public one is a relay already
    const wasRelay = node.network.protocols().includes(HOP)
    const other = await judge(t, status)
    const loopback = node.network.announced().find(address => address.startsWith('/ip4/127.'))!
    await other.node.network.dial(node.network.self, [loopback])
    const question = await until('the peer is asked', () => other.asked[0])
    t.true(question.includes(`0401020304${'06'}${Number(port).toString(16).padStart(4, '0')}`), 'of the address outside')
    if (status === 'OK') {
      await until('it is announced', () => node.network.announced().includes(outside))
      await until('the node is a relay', () => node.network.protocols().includes(HOP))
    } else {
      t.true((await node.network.ping(other.node.network.self)) >= 0)
      t.false(node.network.announced().includes(outside))
      t.is(node.network.protocols().includes(HOP), wasRelay)
    }
    await node.host.stop()
    t.true(
      asked.some(({ action }) => action === 'DeletePortMapping'),
      'the port is closed with the node'
    )
  })
}

test('a node answers others whether it can dial them, not at addresses of others, nor of their own network', async t => {
  const [node, peer] = await Promise.all([onlineNode(t), onlineNode(t, { node: { 'AutoNAT.ServiceMode': 'disabled' } })])
  t.true(node.network.protocols().includes(AUTONAT))
  t.false(peer.network.protocols().includes(AUTONAT))
  await peer.network.dial(node.network.self, node.network.announced())
  const { base58btc } = await import('multiformats/bases/base58')
  const ask = async (id: string, address: string) => {
    const field = (number: number, bytes: Uint8Array) => Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes])
    const info = Buffer.concat([field(1, base58btc.decode(`z${id}`)), field(2, Buffer.from(address, 'hex'))])
    const message = Buffer.concat([Buffer.from([0x08, 0]), field(2, field(1, info))])
    const stream = await peer.network.open(node.network.self, AUTONAT)
    await stream.write(Buffer.concat([Buffer.from([message.length]), message]))
    const parts: Uint8Array[] = []
    for await (const part of stream) parts.push(part)
    return Buffer.concat(parts).toString('latin1')
  }
  // /ip4/127.0.0.1/tcp/4001 and /ip4/8.8.8.8/tcp/53
  t.regex(await ask(peer.network.self, '047f000001060fa1'), /no dialable addresses/)
  t.regex(await ask(peer.network.self, '0408080808060035'), /no dialable addresses/)
  t.regex(await ask(node.network.self, '0408080808060035'), /peer id mismatch/)
  await t.throwsAsync(ask(peer.network.self, '047f000001060fa1'), { code: 'E_STREAM' }, 'three requests a minute of one peer')
})

test('of AutoNAT v2, a request has one address dialled, and a minute has 12 requests of a peer and 60 in all', async t => {
  const dialled: string[] = []
  const handlers = new Map<string, StreamHandler>()
  const components = {
    registrar: { handle: async (protocol: string, handler: StreamHandler) => void handlers.set(protocol, handler) },
    connectionManager: {
      isDialable: async () => true,
      openConnection: async (target: unknown) => {
        dialled.push(String(target))
        throw new Error('nobody is there')
      }
    },
    logger: { forComponent: () => Object.assign(() => {}, { error() {}, trace() {} }) }
  }
  let now = 0
  const service = autoNATv2()(dialsBackLittle(components as unknown as AutoNATv2Components, new Requests(REQUESTS.second, () => now))) as {
    server: Startable
  }
  await service.server.start()
  // of a connection from 1.2.3.4, for the ports 1 to 3 of that address
  const { multiaddr } = await import('@multiformats/multiaddr')
  const remoteAddr = multiaddr('/ip4/1.2.3.4/tcp/9')
  const addrs = [1, 2, 3].map(port => Buffer.concat([Buffer.from([0x0a, 8]), multiaddr(`/ip4/1.2.3.4/tcp/${port}`).bytes]))
  const request = Buffer.concat([...addrs, Buffer.from([0x11, 1, 0, 0, 0, 0, 0, 0, 0])])
  const ask = async (peer: string) => {
    const [ours, theirs] = await streamPair()
    const answered = Promise.resolve(handlers.get(DIAL_REQUEST)!(theirs, { remotePeer: peer, remoteAddr } as unknown as Connection))
    ours.send(Buffer.concat([Buffer.from([request.length + 2, 0x0a, request.length]), request]))
    await answered
    return ours
  }
  await ask('a')
  t.deepEqual(dialled, ['/ip4/1.2.3.4/tcp/1'])
  for (let i = 1; i < 20; i++) await ask('a')
  t.is(dialled.length, 12)
  for (const peer of 'bcdefgh') for (let i = 0; i < 10; i++) await ask(peer)
  t.is(dialled.length, 60)
  now = 60_000
  await ask('a')
  t.is(dialled.length, 61)
})

/** Whether what is sent to the group of mDNS comes back on this machine. */
async function isMulticast(): Promise<boolean> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  try {
    socket.bind(0)
    await once(socket, 'listening')
    socket.addMembership('224.0.0.251')
    const heard = once(socket, 'message', { signal: AbortSignal.timeout(1_000) })
    socket.send('x', socket.address().port, '224.0.0.251')
    await heard
    return true
  } catch {
    return false
  } finally {
    socket.close()
  }
}

test('neighbours find each other by mDNS, and one with Discovery.MDNS.Enabled off is not found', async t => {
  if (!(await isMulticast())) {
    t.log('not tried: nothing that is sent to a group comes back on this machine')
    return t.pass()
  }
  const node = { 'Discovery.MDNS.Enabled': true, 'Routing.Type': 'none' }
  const [a, silent] = await Promise.all([onlineNode(t, { node }), onlineNode(t, { node: { 'Routing.Type': 'none' } })])
  const b = await onlineNode(t, { node })
  await until('they are connected', () => a.network.connections(b.network.self).length > 0)
  t.deepEqual(silent.network.connections(a.network.self), [])
})

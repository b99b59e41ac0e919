import { once } from 'node:events'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { connect, getCACertificates, setDefaultCACertificates } from 'node:tls'
import test, { type ExecutionContext } from 'ava'
import { certify } from '../../helpers/certificate.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

const ADDRESS = '/ip4/127.0.0.1/tcp/0/tls/ws'

/** The name that the certificate of who listens there says. */
function subjectOf(t: ExecutionContext, port: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject?.CN as string | undefined)
      socket.destroy()
    })
    socket.on('error', reject)
    t.teardown(() => socket.destroy())
  })
}

const portOf = (address: string) => Number(address.split('/')[4])

test.serial('a peer connects over secure WebSockets with the certificate that the setting names, and to no one with another', async t => {
  const folder = await temporaryFolder(t)
  const wss = await certify(folder, 'trusted')
  const listening = await onlineNode(t, { node: { 'Addresses.Swarm': [ADDRESS] }, network: { wss } })
  const [address] = listening.network.listening()
  t.regex(address!, /^\/ip4\/127\.0\.0\.1\/tcp\/\d+\/tls\/ws$/)
  const dialling = await onlineNode(t)
  const refused = await t.throwsAsync(dialling.network.dial(listening.network.self, [address as string]), { code: 'E_DIAL' })
  t.regex(refused.message, /\n {2}\* \[\/ip4\/127\.0\.0\.1\/tcp\/\d+\/tls\/ws\] .*self-signed certificate/, 'with the reason')
  const [server, other] = [createServer(), await onlineNode(t)]
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  for (const [transport, says] of [
    [`/ip4/127.0.0.1/tcp/${port}/ws`, `dial tcp4 127.0.0.1:${port}: connect: connection refused`],
    [`/dns4/nobody.invalid/tcp/80/ws`, 'dial tcp nobody.invalid:80: no such host'],
    // a port that no browser dials
    ['/ip4/127.0.0.1/tcp/1/ws', 'dial tcp4 127.0.0.1:1: connect: connection refused']
  ] as const) {
    const nobody = await t.throwsAsync(dialling.network.dial(other.network.self, [transport]))
    t.true(nobody.message.endsWith(`\n  * [${transport}] ${says}`), nobody.message)
  }
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, await readFile(wss.certificate, 'utf8')])
  t.teardown(() => setDefaultCACertificates(before))
  const connection = await dialling.network.dial(listening.network.self, [address as string])
  t.is(connection.peer, listening.network.self)
  t.true((await dialling.network.ping(listening.network.self)) >= 0)
})

test('a certificate that was renewed is shown to who comes next, and one that cannot be used leaves the one before', async t => {
  const folder = await temporaryFolder(t)
  const wss = await certify(folder, 'first')
  const second = await certify(folder, 'second')
  const { network } = await onlineNode(t, { node: { 'Addresses.Swarm': [ADDRESS] }, network: { wss: { ...wss, lookInterval: 20 } } })
  const port = portOf(network.listening()[0]!)
  t.is(await subjectOf(t, port), 'first')
  // the key of another certificate, until its certificate comes too
  await copyFile(second.key, wss.key)
  await new Promise(resolve => setTimeout(resolve, 200))
  t.is(await subjectOf(t, port), 'first')
  await copyFile(second.certificate, wss.certificate)
  await until('the second is shown', async () => (await subjectOf(t, port)) === 'second')
})

test('an address of secure WebSockets is refused where no certificate is named, and others are listened on', async t => {
  for (const address of [ADDRESS, '/ip4/127.0.0.1/tcp/0/wss', '/ip4/127.0.0.1/tcp/0/tls/sni/node.example/ws']) {
    const error = await t.throwsAsync(onlineNode(t, { node: { 'Addresses.Swarm': [address] } }))
    t.regex(error!.message, /secure WebSockets need a certificate, which plugins\.network\.wss names/, address)
  }
  const { network } = await onlineNode(t, { node: { 'Addresses.Swarm': [ADDRESS, '/ip4/127.0.0.1/tcp/0/ws'] } })
  t.deepEqual(
    network
      .listening()
      .filter(address => address !== '/p2p-circuit')
      .map(address => address.replace(/\d+\/ws/, 'N/ws')),
    ['/ip4/127.0.0.1/tcp/N/ws']
  )
})

test('a certificate that is not there, is none, or has another key is an error that names the file', async t => {
  const folder = await temporaryFolder(t)
  const { certificate, key } = await certify(folder, 'own')
  const { key: other } = await certify(folder, 'other')
  const none = join(folder, 'none.pem')
  await writeFile(none, 'no certificate')
  const large = join(folder, 'large.pem')
  await writeFile(large, Buffer.alloc(1024 * 1024 + 1))
  const cases: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ certificate: join(folder, 'gone.pem'), key }, /gone\.pem: ENOENT/],
    [{ certificate: none, key }, /none\.pem with .*own\.key: /],
    [{ certificate, key: other }, /own\.pem with .*other\.key: .*key values mismatch/],
    [{ certificate: large, key }, /large\.pem: it is larger than 1048576 octets/]
  ]
  for (const [wss, message] of cases) {
    const error = await t.throwsAsync(onlineNode(t, { node: { 'Addresses.Swarm': [ADDRESS] }, network: { wss } }))
    t.regex(error!.message, /plugins\.network\.wss: cannot use /)
    t.regex(error!.message, message)
  }
})

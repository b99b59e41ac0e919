import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Libp2p } from '@libp2p/interface'
import test, { type ExecutionContext } from 'ava'
import { keyOf, readNetworkKey } from '../../../plugins/network/private/key.ts'
import { xsalsa20 } from '../../../plugins/network/private/salsa20.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'

const text = (key: string) => `/key/swarm/psk/1.0.0/\n/base16/\n${key}\n`

test('XSalsa20 is what others make of the same key and nonce, however it is cut', t => {
  const key = Uint8Array.from({ length: 32 }, (_, i) => i + 1)
  const nonce = Uint8Array.from({ length: 24 }, (_, i) => i * 7)
  const stream = xsalsa20(key, nonce)
  const parts = [13, 0, 50, 17].map(length => stream.apply(new Uint8Array(length)))
  t.is(
    Buffer.concat(parts).toString('hex'),
    '6a46e5c6017e69c8e509932c154eeb9c91c16e6bb2c3b828f96fceb44a4f2bd1ebb5920afbd34c5033a7f2b13676f2dd413c5ee348d5284823e23a0f48f45a0c713cb0ac905b2d2c46d94bef091af69f'
  )
})

test('a file with the key of a private network is read, and one that is none is refused with what is wrong', t => {
  const key = 'ab'.repeat(32)
  t.is(Buffer.from(keyOf(text(key), 'f')).toString('hex'), key)
  t.is(Buffer.from(keyOf(`/key/swarm/psk/1.0.0/\n/base64/\n${Buffer.from(key, 'hex').toString('base64')}`, 'f')).toString('hex'), key)
  const wrong = { code: 'E_SWARM_KEY' }
  t.regex(t.throws(() => keyOf('nonsense', 'f'), wrong).message, /first line is not/)
  t.regex(t.throws(() => keyOf(text('abc'), 'f'), wrong).message, /no key of 32 octets in base16/)
  t.regex(t.throws(() => keyOf('/key/swarm/psk/1.0.0/\n/bin/\nx', 'f'), wrong).message, /neither/)
})

test('a node that is to be in a private network does not start without the key', async t => {
  const repo = await temporaryFolder(t)
  await t.throwsAsync(readNetworkKey(repo, { LIBP2P_FORCE_PNET: '1' }), { code: 'E_PRIVATE_NETWORK_FORCED', message: /swarm\.key/ })
  t.is(await readNetworkKey(repo, {}), undefined)
})

test('nodes with the same key talk to each other; who has another, or none, gets no connection', async t => {
  const [one, other] = [randomBytes(32), randomBytes(32)].map(key => text(key.toString('hex')))
  const [a, b, stranger, open] = await Promise.all([withKey(t, one), withKey(t, one), withKey(t, other), withKey(t, undefined)])
  await a.network.dial(b.network.self, b.network.announced())
  await echoes(t, a, b)
  t.is(a.network.fingerprint, b.network.fingerprint)
  t.regex(a.network.fingerprint ?? '', /^[0-9a-f]{32}$/)
  t.is(open.network.fingerprint, undefined)
  await Promise.all(
    [stranger, open].map(node => t.throwsAsync(node.network.dial(b.network.self, b.network.announced()), { code: 'E_DIAL' }))
  )
  t.deepEqual([...new Set(b.network.connections().map(({ peer }) => peer))], [a.network.self])
})

test('nodes of a private network that have TLS alone talk to each other', async t => {
  const key = text(randomBytes(32).toString('hex'))
  const [a, b] = await Promise.all([1, 2].map(() => withKey(t, key, { 'Swarm.Transports.Security.Noise': false })))
  await a!.network.dial(b!.network.self, b!.network.announced())
  await echoes(t, a!, b!)
  t.is(a!.network.libp2p<Libp2p>().getConnections()[0]?.encryption, '/tls/1.0.0')
})

async function withKey(t: ExecutionContext, key: string | undefined, node = {}) {
  const repo = join(await temporaryFolder(t), 'repo')
  await mkdir(repo, { recursive: true })
  if (key !== undefined) await writeFile(join(repo, 'swarm.key'), key)
  return onlineNode(t, { repo, node })
}

/** What one sends over a stream comes back from the other. */
async function echoes(t: ExecutionContext, from: OnlineNode, to: OnlineNode): Promise<void> {
  await to.network.handle('/x/echo', async stream => {
    for await (const part of stream) await stream.write(part)
  })
  const stream = await from.network.open(to.network.self, '/x/echo')
  const sent = randomBytes(300_000)
  await stream.write(sent)
  await stream.end()
  const received: Uint8Array[] = []
  for await (const part of stream) received.push(part)
  t.true(sent.equals(Buffer.concat(received)))
}

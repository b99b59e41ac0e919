/** What a node did for others and for programs of its machine before `kill -9`: nothing of it stays behind, and all of it can be had again. */
import { readFileSync } from 'node:fs'
import { connect as connectTo, createServer } from 'node:net'
import test from 'ava'
import { Pubsub } from '../../../core/index.ts'
import { onlineNode } from '../../helpers/online.ts'
import { mountpoints, real, shell } from '../../helpers/process/fuse.ts'
import { until } from '../../helpers/until.ts'
import { client, forwarded, listed, tcpService, textUntilEnd } from '../../plugins/p2p/helpers.ts'
import { post } from '../support/rpc.ts'
import { connect, request, TALKING, victim } from './daemon.ts'

const PROTOCOL = '/x/crash'

/** A port of this machine that nobody listens at. */
async function freePort(): Promise<number> {
  const server = createServer()
  const port = await new Promise<number>(resolve => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
  await new Promise(resolve => server.close(resolve))
  return port
}

const isRefused = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connectTo({ port, host: '127.0.0.1' })
    socket.on('connect', () => socket.destroy()).on('error', () => {})
    socket.on('close', hadError => resolve(hadError))
  })

test('services of a node that is killed are gone with it, those of its peers lose their connections, and the same can be had again', async t => {
  t.timeout(180_000)
  const [killed, other] = await Promise.all([victim(t), onlineNode(t, { node: TALKING })])
  const service = await tcpService(t, socket => socket.write('hello'))
  await other.host.call('p2p/listen', { args: [PROTOCOL, service] })
  const port = await freePort()
  for (let round = 0; round < 2; round++) {
    const node = await killed.start()
    await connect(node, other)
    t.is(JSON.parse(await post(node.url, 'p2p/ls')).Listeners ?? null, null)
    await post(node.url, request('p2p/listen', PROTOCOL, service))
    await post(node.url, request('p2p/forward', PROTOCOL, `/ip4/127.0.0.1/tcp/${port}`, `/p2p/${other.network.self}`))
    const far = await forwarded(other, { network: { self: killed.id } } as typeof other, PROTOCOL)
    const [through, back] = await Promise.all([client(t, port), client(t, far)])
    for (const socket of [through, back]) {
      socket.on('error', () => {})
      await new Promise(resolve => socket.once('data', resolve))
    }
    const streams = async () => ((await other.host.call('p2p/stream/ls')) as { Streams: unknown[] | null }).Streams ?? []
    await until('both go through', async () => (await streams()).length === 2)
    await node.kill()
    t.true(await isRefused(port))
    await until('the peer has let go of both', async () => (await streams()).length === 0)
    // what the peer itself offers and forwards stays
    t.is((await listed(other)).length, 2)
    t.is(await textUntilEnd(await client(t, far)).catch(() => ''), '')
    await other.host.call('p2p/close', { options: { listenAddress: `/ip4/127.0.0.1/tcp/${far}` } })
  }
})

test('messages of a node that was killed while it sent are taken as new after it, each once and in order', async t => {
  t.timeout(180_000)
  const [killed, other] = await Promise.all([victim(t), onlineNode(t, { node: TALKING })])
  const pubsub = other.host.service(Pubsub)!
  const got: number[] = []
  const subscription = pubsub.subscribe('crash')
  t.teardown(() => subscription.close())
  const reading = (async () => {
    for await (const { data } of subscription) got.push(Number(Buffer.from(data).toString()))
  })()
  reading.catch(() => {})
  const topic = `u${Buffer.from('crash').toString('base64url')}`
  let sent = 0
  for (let round = 0; round < 3; round++) {
    const node = await killed.start()
    await connect(node, other)
    await until('it knows who listens', async () => (await post(node.url, request('pubsub/peers', topic))).includes(other.network.self))
    const before = got.length
    const sending = (async () => {
      for (;;) await post(node.url, request('pubsub/pub', topic), [['data', new Uint8Array(Buffer.from(`${++sent}`))]])
    })()
    const ended = sending.catch(() => {})
    await until('twenty came', () => got.length >= before + 20)
    await node.kill()
    await ended
  }
  t.deepEqual(
    got,
    [...new Set(got)].sort((a, b) => a - b)
  )
})

const mounts = () => readFileSync('/proc/self/mounts', 'utf8')

real(
  'mounts of a node that is killed while a program writes to them are mounted anew by the next, with what was flushed, and none is left',
  async t => {
    t.timeout(180_000)
    const killed = await victim(t)
    const { mfs, query } = await mountpoints(t, killed.folder)
    for (let round = 0; round < 2; round++) {
      const node = await killed.start()
      await post(node.url, `mount?${query}`)
      t.is(mounts().split(`${killed.folder}/`).length, 4)
      for (let before = 0; before < round; before++) t.is(await shell('cat "$1"', `${mfs}/${before}`), `${before}`)
      await shell('printf %s "$2" > "$1/$2"', mfs, `${round}`)
      await post(node.url, request('files/flush', '/'))
      const writing = shell('while :; do head -c 65536 /dev/zero >> "$1/endless"; done', mfs)
      const ended = writing.catch((error: Error) => error.message)
      await until('it writes', () =>
        shell('stat -c %s "$1/endless"', mfs).then(
          size => Number(size) > 0,
          () => false
        )
      )
      await node.kill()
      t.regex((await ended) ?? '', /not connected|Software caused|Input\/output|No such device/)
      await t.throwsAsync(shell('ls "$1"', mfs), { message: /not connected/ })
    }
    const last = await killed.start()
    await post(last.url, `mount?${query}`)
    t.is(await shell('cat "$1/0" "$1/1"', mfs), '01')
    t.is(mounts().split(`${killed.folder}/`).length, 4)
    t.is(await last.stop(), 0)
    t.false(mounts().includes(`${killed.folder}/`))
  }
)

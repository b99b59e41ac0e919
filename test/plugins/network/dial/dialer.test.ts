/** Dials of a peer by several addresses, with a clock that the tests turn. */
import { mock } from 'node:test'
import test from 'ava'
import { type AddressDialOptions, Dialer } from '../../../../plugins/network/dial/dialer.ts'

const PEER = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
const SETTINGS = {
  dialTimeout: 15_000,
  dialTimeoutPrivate: 5_000,
  connectTimeout: 60_000,
  maxAddressesToDial: 25,
  maxParallelDials: 100,
  maxQueuedDials: 500
}

mock.timers.enable({ apis: ['setTimeout'] })

/** What the promises of this turn lead to has happened. */
const settled = () => new Promise(resolve => setImmediate(resolve))

async function pass(milliseconds: number): Promise<void> {
  mock.timers.tick(milliseconds)
  await settled()
}

interface Attempt extends AddressDialOptions {
  readonly address: string
  readonly end: PromiseWithResolvers<string>
}

interface Given {
  readonly settings?: Partial<typeof SETTINGS>
  readonly names?: Readonly<Record<string, Promise<readonly string[]>>>
}

/** A dialer, and the dials of addresses that it began. */
function dialerOf({ settings = {}, names = {} }: Given = {}) {
  const attempts: Attempt[] = []
  const dialer = new Dialer<string>({
    settings: { ...SETTINGS, ...settings },
    filters: { blocks: address => address.includes('/10.0.0.') },
    ask: name => names[name] ?? Promise.resolve([]),
    hasTransport: address => !address.includes('/sctp/'),
    dial: (address, options) => {
      const end = Promise.withResolvers<string>()
      attempts.push({ address: address.replace(`/p2p/${PEER}`, ''), end, ...options })
      return end.promise
    }
  })
  const of = (address: string) => attempts.findLast(attempt => attempt.address === address)!
  return { dialer, attempts, of, dialled: () => attempts.map(({ address }) => address) }
}

const tcp = (port: number) => `/ip4/8.8.8.8/tcp/${port}`

test.serial(
  'silent addresses hold nobody up: the next is dialled meanwhile, the first connection wins, and the other dials end',
  async t => {
    const { dialer, dialled, of } = dialerOf()
    const dial = dialer.dial(PEER, [tcp(3), tcp(1), tcp(2), '/ip4/8.8.8.8/udp/1/quic-v1'])
    await settled()
    t.deepEqual(dialled(), ['/ip4/8.8.8.8/udp/1/quic-v1'])
    await pass(249)
    t.is(dialled().length, 1)
    await pass(1)
    t.deepEqual(dialled().slice(1), [tcp(1)])
    await pass(250)
    t.deepEqual(dialled().slice(2), [tcp(2), tcp(3)])
    of(tcp(2)).end.resolve('the connection')
    t.is(await dial, 'the connection')
    t.true([tcp(1), tcp(3), '/ip4/8.8.8.8/udp/1/quic-v1'].every(address => of(address).signal.aborted))
  }
)

test.serial('the next address is dialled at once when none is under way any more, and the one behind it as long after that', async t => {
  const { dialer, dialled, of } = dialerOf()
  const dial = dialer.dial(PEER, [tcp(1), '/ip4/8.8.8.8/udp/1/quic-v1', '/ip4/8.8.8.8/tcp/2/ws'])
  await settled()
  of('/ip4/8.8.8.8/udp/1/quic-v1').end.reject(new Error('no QUIC here'))
  await settled()
  t.deepEqual(dialled().slice(1), [tcp(1)])
  await pass(249)
  t.is(dialled().length, 2)
  await pass(1)
  t.is(dialled().length, 3)
  of('/ip4/8.8.8.8/tcp/2/ws').end.resolve('it')
  t.is(await dial, 'it')
})

test.serial('when all have failed the error says why of each, those first that are not dialled', async t => {
  const { dialer, of } = dialerOf()
  const dial = dialer.dial(PEER, [tcp(2), tcp(1), tcp(1), '/ip4/10.0.0.1/tcp/1', '/ip4/8.8.8.8/sctp/1'])
  await settled()
  of(tcp(1)).end.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
  await settled()
  await pass(15_000)
  await t.throwsAsync(dial, {
    code: 'E_DIAL',
    message: [
      `failed to dial: failed to dial ${PEER}: all dials failed`,
      '  * [/ip4/10.0.0.1/tcp/1] gater disallows connection to peer',
      '  * [/ip4/8.8.8.8/sctp/1] no transport for protocol',
      `  * [${tcp(1)}] dial tcp4 8.8.8.8:1: connect: connection refused`,
      `  * [${tcp(2)}] dial tcp4 8.8.8.8:2: i/o timeout`
    ].join('\n')
  })
  await t.throwsAsync(dialer.dial(PEER, ['/ip4/10.0.0.1/tcp/1']), { message: /: no good addresses\n/ })
  await t.throwsAsync(dialer.dial(PEER, []), { message: /: no addresses$/ })
})

test.serial('the time of all addresses together ends a dial, and tells of those that said nothing', async t => {
  const { dialer, of } = dialerOf({ settings: { connectTimeout: 1_000 } })
  const dial = dialer.dial(PEER, [tcp(1)])
  await settled()
  await pass(1_000)
  await t.throwsAsync(dial, { code: 'E_DIAL', message: new RegExp(`\\[${tcp(1)}\\] the time for the dial was over`) })
  t.true(of(tcp(1)).signal.aborted)
})

test.serial('who dials a peer that is being dialled joins in with his addresses, and what both dial ends when both have left', async t => {
  const { dialer, dialled, of } = dialerOf()
  const [first, second] = [new AbortController(), new AbortController()]
  const one = dialer.dial(PEER, [tcp(1)], { signal: first.signal })
  await settled()
  const other = dialer.dial(PEER, [tcp(1), tcp(2)], { signal: second.signal })
  await settled()
  await pass(0)
  t.deepEqual(dialled(), [tcp(1), tcp(2)])
  first.abort(new Error('left'))
  await t.throwsAsync(one, { message: 'left' })
  t.false(of(tcp(1)).signal.aborted)
  second.abort(new Error('left as well'))
  await t.throwsAsync(other, { message: 'left as well' })
  t.true(of(tcp(1)).signal.aborted)
  const again = dialer.dial(PEER, [tcp(1)])
  await settled()
  t.is(dialled().length, 3, 'a dial after that is a new one')
  of(tcp(1)).end.resolve('it')
  t.is(await again, 'it')
})

test.serial('a dial that is to be alone joins nobody, and nobody joins it', async t => {
  const { dialer, attempts } = dialerOf()
  const dials = [dialer.dial(PEER, [tcp(1)], { alone: true, initiator: false }), dialer.dial(PEER, [tcp(1)]), dialer.dial(PEER, [tcp(1)])]
  await settled()
  t.deepEqual(
    attempts.map(({ initiator }) => initiator),
    [false, undefined]
  )
  attempts[0]!.end.resolve('alone')
  attempts[1]!.end.resolve('together')
  t.deepEqual(await Promise.all(dials), ['alone', 'together', 'together'])
})

test.serial('an address that failed is dialled behind the others the next time', async t => {
  const { dialer, dialled, of } = dialerOf()
  const first = dialer.dial(PEER, [tcp(1)])
  await settled()
  of(tcp(1)).end.reject(new Error('gone'))
  await t.throwsAsync(first)
  const second = dialer.dial(PEER, [tcp(1), tcp(2)])
  await settled()
  t.deepEqual(dialled(), [tcp(1), tcp(2)])
  await pass(250)
  t.deepEqual(dialled(), [tcp(1), tcp(2), tcp(1)])
  of(tcp(2)).end.resolve('it')
  t.is(await second, 'it')
})

test.serial('a name that is not resolved holds up no address, and what one leads to is dialled as well', async t => {
  const [silent, known] = [Promise.withResolvers<readonly string[]>(), Promise.withResolvers<readonly string[]>()]
  const { dialer, dialled, of } = dialerOf({
    names: { '_dnsaddr.silent.example': silent.promise, '_dnsaddr.known.example': known.promise }
  })
  const dial = dialer.dial(PEER, ['/dnsaddr/silent.example', '/dnsaddr/known.example', tcp(1)])
  await settled()
  t.deepEqual(dialled(), [tcp(1)])
  of(tcp(1)).end.reject(new Error('gone'))
  known.resolve([`dnsaddr=${tcp(2)}/p2p/${PEER}`])
  await settled()
  t.deepEqual(dialled(), [tcp(1), tcp(2)])
  of(tcp(2)).end.resolve('it')
  t.is(await dial, 'it')
})

test.serial('at most so many addresses of a peer are dialled, and so many at the same time', async t => {
  const few = dialerOf({ settings: { maxAddressesToDial: 2 } })
  const all = few.dialer.dial(PEER, [tcp(1), tcp(2), tcp(3)])
  await settled()
  await pass(250)
  t.deepEqual(few.dialled(), [tcp(1), tcp(2)])
  for (const { end } of few.attempts) end.reject(new Error('gone'))
  await t.throwsAsync(all)
  const { dialer, dialled, of } = dialerOf({ settings: { maxParallelDials: 4, maxQueuedDials: 4 } })
  const dials = ['a', 'b', 'c'].map(peer => dialer.dial(peer, [tcp(1), tcp(2), tcp(3)]))
  await settled()
  await pass(250)
  t.is(dialled().length, 4, 'three peers, and a second address of one')
  await pass(1_000)
  t.is(dialled().length, 4)
  const last = dialer.dial('d', [tcp(1)])
  await settled()
  of(`${tcp(2)}/p2p/a`).end.reject(new Error('gone'))
  await settled()
  t.true(dialled().includes(`${tcp(1)}/p2p/d`), 'a peer with no address under way goes before further addresses of others')
  of(`${tcp(1)}/p2p/d`).end.resolve('it')
  t.is(await last, 'it')
  dialer.stop()
  for (const dial of dials) await t.throwsAsync(dial, { code: 'E_NETWORK_STOPPED' })
  await t.throwsAsync(dialer.dial(PEER, [tcp(1)]), { code: 'E_NETWORK_STOPPED' })
})

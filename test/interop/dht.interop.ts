/** The DHT of this node and Kubo's: what one tells the other finds, by a third of either kind between them; names are published and resolved so. */
import test from 'ava'
import { until } from '../helpers/until.ts'
import { file } from './nodes/content.ts'
import { built } from './nodes/kubo.ts'
import { start } from './nodes/pairs.ts'
import type { Peer, Program } from './nodes/peer.ts'

interface Event {
  readonly Type: number
  readonly Extra: string
  readonly Responses: ReadonlyArray<{ readonly ID: string; readonly Addrs: readonly string[] | null }> | null
}

/** Kinds of events. */
const [FINAL_PEER, ERROR, PROVIDER, VALUE] = [2, 3, 4, 5]

async function tableOf(peer: Peer): Promise<number> {
  const { Buckets } = await peer.json<{ Buckets: ReadonlyArray<{ Peers: readonly unknown[] | null }> | null }>('stats/dht?arg=lan')
  return (Buckets ?? []).reduce((sum, { Peers }) => sum + (Peers?.length ?? 0), 0)
}

/** Three in a line: who stands at the ends has never met the other. */
function lineOf(middle: Program, ends: readonly [Program, Program]): () => Promise<[Peer, Peer]> {
  let line: Promise<[Peer, Peer]> | undefined
  const begin = async (): Promise<[Peer, Peer]> => {
    const setup = { config: { 'Routing.Type': 'dht' } }
    const [one, between, other] = await Promise.all([ends[0], middle, ends[1]].map(program => start(program, setup)))
    for (const end of [one!, other!]) {
      await end.connect(between!)
      await until(`${end.program} has its peer in the table`, async () => (await tableOf(end)) === 1)
    }
    await until(`${middle} has both in its table`, async () => (await tableOf(between!)) === 2)
    return [one!, other!]
  }
  return () => {
    line ??= begin()
    return line
  }
}

const events = (peer: Peer, path: string, body?: ReturnType<typeof file>) => peer.lines<Event>(path, body)
const responses = (all: readonly Event[], type: number) =>
  all.filter(({ Type }) => Type === type).flatMap(({ Responses }) => Responses ?? [])

/** A record of a name that is published elsewhere. @returns the name and the record */
async function recordOf(publisher: Peer): Promise<[name: string, record: Buffer]> {
  const { Id } = await publisher.json<{ Id: string }>(`key/gen?arg=key-${Math.random()}&ipns-base=base36`)
  const { Keys } = await publisher.json<{ Keys: ReadonlyArray<{ Name: string; Id: string }> }>('key/list?ipns-base=base36')
  const { Name } = Keys.find(key => key.Id === Id)!
  await publisher.ask(`name/publish?arg=/ipfs/bafkqaaa&resolve=false&allow-offline=true&key=${Name}`)
  const [got] = (await events(publisher, `routing/get?arg=/ipns/${Id}`)).filter(({ Type }) => Type === VALUE)
  return [Id, Buffer.from(got!.Extra, 'base64')]
}

for (const version of built()) {
  // a publisher that is connected with nobody of these
  let apart: Promise<[Peer, Peer]> | undefined
  for (const middle of [version, 'holdfast'] as const) {
    const line = lineOf(middle, ['holdfast', version])
    for (const way of ['Kubo finds what this node tells', 'this node finds what Kubo tells']) {
      const [first, then] = way.startsWith('Kubo') ? [0, 1] : [1, 0]
      /** Who tells, and who seeks. */
      const ends = async (): Promise<[Peer, Peer]> => {
        const all = await line()
        return [all[first]!, all[then]!]
      }
      const through = `through ${middle === 'holdfast' ? 'this node' : 'Kubo'}, Kubo ${version}`

      test.serial(`${way} that it provides, ${through}`, async t => {
        const [teller, seeker] = await ends()
        const root = await teller.add(file(Buffer.from(`${way} ${through}`)))
        const told = await events(teller, `routing/provide?arg=${root}&timeout=30s`)
        t.deepEqual(
          told.filter(({ Type }) => Type === ERROR),
          []
        )
        const found = responses(await events(seeker, `routing/findprovs?arg=${root}&num-providers=1&timeout=20s`), PROVIDER)
        t.deepEqual(
          found.map(({ ID }) => ID),
          [teller.id]
        )
        t.is(await seeker.ask(`cat?arg=${root}&timeout=20s`), `${way} ${through}`)
      })

      test.serial(`${way} of where it is, ${through}`, async t => {
        const [teller, seeker] = await ends()
        const [found] = responses(await events(seeker, `routing/findpeer?arg=${teller.id}&timeout=20s`), FINAL_PEER)
        t.is(found?.ID, teller.id)
        t.true(
          found!.Addrs!.some(address => teller.address('tcp').startsWith(address)),
          `${found!.Addrs}`
        )
      })

      test.serial(`${way} as a record that it puts, ${through}`, async t => {
        const [teller, seeker] = await ends()
        apart ??= lineOf('holdfast', [version, 'holdfast'])()
        const [name, record] = await recordOf((await apart)[first]!)
        const told = await events(teller, `routing/put?arg=/ipns/${name}&timeout=30s`, file(record))
        t.deepEqual(
          told.filter(({ Type }) => Type === ERROR),
          []
        )
        const got = (await events(seeker, `routing/get?arg=/ipns/${name}&timeout=20s`)).filter(({ Type }) => Type === VALUE)
        t.is(got.at(-1)?.Extra, record.toString('base64'))
      })

      test.serial(`${way} as a name that it publishes, and what comes after it, ${through}`, async t => {
        const [teller, seeker] = await ends()
        for (const value of ['/ipfs/bafkqaaa/1', '/ipfs/bafkqaaa/2']) {
          const { Name } = await teller.json<{ Name: string }>(`name/publish?arg=${value}&resolve=false&lifetime=1h&timeout=30s`)
          const { Path } = await seeker.json<{ Path: string }>(`name/resolve?arg=${Name}&nocache=true&timeout=20s`)
          t.is(Path, value)
        }
      })
    }
  }
}

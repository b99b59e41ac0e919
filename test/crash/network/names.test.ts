/** Names that were published to others before `kill -9`: no number that somebody has seen comes back, and nothing acknowledged is lost. */
import test from 'ava'
import { formatName, parseName, readRecord } from '../../../core/ipns/index.ts'
import { onlineNode } from '../../helpers/online.ts'
import type { Daemon } from '../../helpers/process/daemon.ts'
import { until } from '../../helpers/until.ts'
import { EMPTY_FOLDER, namesOf, recordOf, signer } from '../../plugins/name/helpers.ts'
import { post } from '../support/rpc.ts'
import { connect, request, TALKING, victim } from './daemon.ts'

const ROUNDS = Number(process.env['CRASH_NETWORK_ROUNDS'] ?? 8)
const SEED = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** The sequence number of the record that a node has of a name without asking others; -1 where it has none. */
async function sequenceAt({ url }: Daemon, name: string): Promise<bigint> {
  const response = await fetch(`${url}/api/v0/${request('name/get', name)}`, { method: 'POST' })
  if (!response.ok) return -1n
  return readRecord(new Uint8Array(await response.arrayBuffer())).sequence!
}

test(`${ROUNDS} times kill -9 while a node publishes names and takes records online: what it acknowledged is there, and no number that others saw comes back`, async t => {
  t.timeout(60_000 + ROUNDS * 30_000)
  t.log(`seed ${SEED} (CRASH_SEED repeats it, CRASH_NETWORK_ROUNDS says how often)`)
  const [killed, other, by] = await Promise.all([victim(t), onlineNode(t, { node: TALKING }), signer()])
  const [victimName, foreignName] = [killed.id, by.peerId].map(id => formatName(parseName(id))) as [string, string]
  const seenOf = async (name: string) => {
    const record = await namesOf(other.host).record(name, { nocache: true })
    return record === undefined ? -1n : readRecord(record).sequence!
  }
  let [published, put, path, interrupted] = [-1n, -1n, 0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    const node = await killed.start()
    const [seen, mine, theirs] = [await seenOf(victimName), await sequenceAt(node, victimName), await sequenceAt(node, foreignName)]
    t.true(mine >= published, `round ${round}: acknowledged ${published}, there ${mine}`)
    t.true(mine >= seen, `round ${round}: others saw ${seen}, there ${mine}`)
    t.true(theirs >= put, `round ${round}: acknowledged a record of ${put}, there ${theirs}`)
    await connect(node, other)
    const publish = async () => {
      const leadsTo = `${EMPTY_FOLDER}/${++path}`
      await post(node.url, `${request('name/publish', leadsTo)}&resolve=false`)
      return leadsTo
    }
    const first = await until('it publishes', () => publish().catch(() => undefined))
    const record = await until('the other has it', async () => {
      const bytes = await namesOf(other.host).record(victimName)
      const found = bytes && readRecord(bytes)
      return found !== undefined && found.path === first && found
    })
    t.true(record.sequence! > seen, `round ${round}: ${record.sequence} after ${seen}`)
    published = record.sequence!
    const lasting = async (work: () => Promise<unknown>) => {
      for (;;)
        try {
          await work()
        } catch {
          interrupted++
          return
        }
    }
    const names = lasting(async () => {
      await publish()
      published++
    })
    let next = theirs > put ? theirs : put
    const records = lasting(async () => {
      const bytes = await recordOf(by, { sequence: ++next })
      await post(node.url, request('name/put', foreignName), [['record', new Uint8Array(bytes)]])
      put = next
    })
    await new Promise(resolve => setTimeout(resolve, 20 + ((SEED + round * 7919) % 400)))
    await node.kill()
    await Promise.all([names, records])
  }
  t.log(`${published} published, ${put} put, ${interrupted} cut off`)
  t.true(published > BigInt(ROUNDS) && put >= 0n)
  t.is(interrupted, 2 * ROUNDS)
})

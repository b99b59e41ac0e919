/** Records of names made to harm: the highest number that there is, old ones sent again without end, and peers that lie about a name. */
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { MetricsReport } from '../../../core/index.ts'
import { formatName, parseName, readRecord, routingKey } from '../../../core/ipns/index.ts'
import { type Field, frames, readFields, writeFields, writeFrame } from '../../../core/network/index.ts'
import { topicOf } from '../../../plugins/name-pubsub/topic.ts'
import { dhtNode, tableOf } from '../../helpers/dht.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { parsePrometheus } from '../../helpers/prometheus.ts'
import { until } from '../../helpers/until.ts'
import { EMPTY_FOLDER, keysOf, namesOf, nodeWith, recordOf, signer } from '../../plugins/name/helpers.ts'
import { RawPeer } from '../../plugins/pubsub/raw.ts'

const LAST = 2n ** 64n - 1n
const PUT_VALUE = 0
const GET_VALUE = 1
const DHT = '/ipfs/lan/kad/1.0.0'

/** What a node counts of records that it did not take, by their reason. */
async function refusedOf({ host }: OnlineNode, reason: string): Promise<number> {
  const { value } = parsePrometheus(await host.service(MetricsReport)!.text())
  return value('holdfast_name_pubsub_refused_records_total', { reason }) ?? 0
}

test('above the highest number that there is nothing is published, which is told, and the name goes on leading where it leads', async t => {
  const host = await nodeWith(t)
  const names = namesOf(host)
  const selfKey = await keysOf(host).find('self')
  const by = { ...selfKey!, sign: (bytes: Uint8Array) => keysOf(host).sign('self', bytes) }
  const name = formatName(parseName(by.peerId))
  await names.put(name, await recordOf(by, { sequence: LAST, path: `${EMPTY_FOLDER}/last` }))
  const publish = (path: string, options = {}) => names.publish(path, { allowOffline: true, ...options })
  const failure = { message: new RegExp(`^the record of ${name} has the highest sequence number that there is`) }
  await t.throwsAsync(publish(`${EMPTY_FOLDER}/next`), failure)
  for (const sequence of [0n, LAST]) await t.throwsAsync(publish(`${EMPTY_FOLDER}/next`, { sequence }), { message: /must be greater/ })
  t.is((await names.resolve(`/ipns/${name}`)).path, `${EMPTY_FOLDER}/last`)
  t.is((await publish(`${EMPTY_FOLDER}/last`)).sequence, LAST, 'the same path again, for longer')
  t.is(readRecord((await names.published(name))!).sequence, LAST)
  await t.throwsAsync(publish(`${EMPTY_FOLDER}/next`), failure)
})

test('old records that are sent again without end are counted, and change nothing', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none', 'Ipns.UsePubsub': true } })
  const by = await signer()
  const name = formatName(parseName(by.peerId))
  await t.throwsAsync(namesOf(node.host).resolve(`/ipns/${name}`))
  const topic = topicOf(routingKey(parseName(name)))
  const flooding = await RawPeer.open(await onlineNode(t), node)
  let number = 1n
  const send = (data: Uint8Array) => flooding.publish({ topic, data, sequence: number++ })
  const newest = await recordOf(by, { sequence: 100n, path: '/ipfs/bafkqaaa/new' })
  await send(newest)
  await until('the newest is there', async () => (await namesOf(node.host).record(name)) !== undefined)
  const old = await Promise.all(Array.from({ length: 20 }, (_, i) => recordOf(by, { sequence: BigInt(i), path: `/ipfs/bafkqaaa/${i}` })))
  const flood = async (times: number) => {
    const before = await refusedOf(node, 'older')
    for (let i = 0; i < times; i++) for (const record of old) await send(record)
    await until('all are counted', async () => (await refusedOf(node, 'older')) === before + times * old.length)
  }
  await flood(25)
  await flood(25)
  t.is(await refusedOf(node, 'older'), 1000)
  t.is(await refusedOf(node, 'invalid'), 0)
  t.deepEqual(Buffer.from((await namesOf(node.host).record(name))!), Buffer.from(newest))
})

/** A server of the DHT that answers each question for a value with this record, and remembers what it is given. */
async function server(
  t: Parameters<typeof dhtNode>[0],
  record: Uint8Array,
  waits = 0
): Promise<OnlineNode & { readonly given: Uint8Array[] }> {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' } })
  const given: Uint8Array[] = []
  const refuse = (why: string) => new Error(why)
  const signal = new AbortController().signal
  await node.network.handle(DHT, async stream => {
    for await (const frame of frames(stream, 100_000, refuse)) {
      const fields = new Map<number, Field[1]>(readFields(frame, refuse))
      const [type, key, value] = [fields.get(1) ?? PUT_VALUE, fields.get(2) as Uint8Array, fields.get(3)]
      if (type === GET_VALUE) await sleep(waits)
      if (type === PUT_VALUE) given.push(new Map(readFields(value as Uint8Array, refuse)).get(2) as Uint8Array)
      const answered: Field[] =
        type === GET_VALUE
          ? [
              [
                3,
                writeFields([
                  [1, key],
                  [2, record]
                ])
              ]
            ]
          : []
      const kept: Field[] = type === PUT_VALUE ? [[3, value!]] : answered
      await writeFrame(
        stream,
        writeFields([...(type === PUT_VALUE ? [] : [[1, type] as Field]), ...(key ? [[2, key] as Field] : []), ...kept]),
        signal
      )
    }
  })
  return { ...node, given }
}

test('of peers that disagree on a name the newest good record wins, and those of liars are neither answers nor kept', async t => {
  const [by, other] = await Promise.all([signer(), signer()])
  const name = formatName(parseName(by.peerId))
  const forged = Uint8Array.from(await recordOf(by, { sequence: 90n, path: '/ipfs/bafkqaaa/forged' }))
  forged[forged.length - 20]! ^= 1
  const newest = await recordOf(by, { sequence: 7n, path: '/ipfs/bafkqaaa/newest' })
  const lies = [
    forged,
    await recordOf(other, { sequence: LAST, path: '/ipfs/bafkqaaa/stranger' }),
    await recordOf(by, { sequence: 99n, path: '/ipfs/bafkqaaa/ended', end: 1n }),
    Buffer.alloc(9000, 1)
  ]
  const told = [...lies, await recordOf(by, { sequence: 3n, path: '/ipfs/bafkqaaa/older' }), newest]
  const node = await dhtNode(t)
  // who has the newest answers last: who was the best until then is told as well
  const peers = await Promise.all(told.map(record => server(t, record, record === newest ? 500 : 0)))
  for (const peer of peers) await peer.network.dial(node.network.self, node.network.announced())
  await tableOf(node.host, peers.length)
  const names = namesOf(node.host)
  t.is((await names.resolve(`/ipns/${name}`, { nocache: true, recordCount: 0 })).path, '/ipfs/bafkqaaa/newest')
  t.deepEqual(Buffer.from((await names.record(name))!), Buffer.from(newest), 'what is remembered')
  t.is(await names.record(name, { offline: true }), undefined, 'what was only found is not stored')
  // what is handed on to those that had another is the newest, never a lie
  await until('the newest is handed on', () => peers.some(({ given }) => given.length > 0))
  for (const { given } of peers) for (const record of given) t.is(readRecord(record).path, '/ipfs/bafkqaaa/newest')
})

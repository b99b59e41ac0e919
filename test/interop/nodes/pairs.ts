/** Nodes that the tests of a file share, ended after the last of them. */
import test from 'ava'
import { until } from '../../helpers/until.ts'
import { built, type Version } from './kubo.ts'
import { over } from './over.ts'
import { Peer, type Program, type Setup, TRANSPORTS, type Transport } from './peer.ts'

const started: Array<Promise<Peer>> = []
test.after.always(async () => {
  const peers = await Promise.allSettled(started)
  await Promise.all(peers.map(one => one.status === 'fulfilled' && one.value.close()))
})

export function start(program: Program, setup?: Setup): Promise<Peer> {
  const peer = Peer.start(program, setup)
  started.push(peer)
  return peer
}

export interface Pair {
  readonly ours: Peer
  readonly kubo: Peer
}

/** This node and Kubo, started when they are asked for first. */
export function pairOf(version: Version, setup?: Setup): () => Promise<Pair> {
  let pair: Promise<Pair> | undefined
  return () => {
    pair ??= Promise.all([start('holdfast', setup), start(version, setup)]).then(([ours, kubo]) => ({ ours, kubo }))
    return pair
  }
}

/** A suite for each version and transport that there is. */
export function eachPair(
  register: (version: Version, transport: Transport, pair: () => Promise<Pair>) => void,
  config?: Setup['config']
): void {
  for (const version of built())
    for (const transport of Object.keys(TRANSPORTS) as Transport[]) register(version, transport, pairOf(version, over(transport, config)))
}

export type Way = 'from' | 'to'

/** What goes from Kubo to this node, and what goes the other way. */
export const WAYS: readonly Way[] = ['from', 'to']

/** @returns who has something, and who wants it */
export function along(way: Way, { ours, kubo }: Pair): [Peer, Peer] {
  return way === 'from' ? [kubo, ours] : [ours, kubo]
}

/** One connection between two over this transport, dialled by the first. */
export async function join(one: Peer, other: Peer, transport: Transport): Promise<void> {
  if ((await one.transports(other)).length > 0) await one.disconnect(other)
  await until('both have closed', async () => (await one.transports(other)).length + (await other.transports(one)).length === 0)
  await one.connect(other, transport)
  await until(
    'both are connected',
    async () => `${[...(await one.transports(other)), ...(await other.transports(one))]}` === `${[transport, transport]}`
  )
}

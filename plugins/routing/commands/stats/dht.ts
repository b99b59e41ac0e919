import { z } from 'zod'
import { command, type DhtBucket, Dhts, Network, optional, p, stream } from '../../../../core/index.ts'
import { onlineForCommand } from '../../../../core/network/index.ts'
import { routingPluginErrors } from '../../errors.ts'
import { dhtStat } from './dht-stat.ts'
import { tableText } from './text.ts'

type Stat = z.input<typeof dhtStat>

export const dht = command.read('stats/dht', {
  help: 'Show the routing tables of the DHT.',
  needs: { network: optional(Network), dhts: optional(Dhts) },
  args: { dht: p.string('wan or lan, wanserver or lanserver. Default: wan and lan.').many().optional() },
  reply: stream(dhtStat),
  xml: 'dhtStat',
  text: tableText,
  async *run({ network, dhts }, { args }) {
    const online = onlineForCommand(network)
    const current = dhts?.current
    if (current === undefined) throw routingPluginErrors.E_NO_DHT()
    for (const name of args.dht.length > 0 ? args.dht : ['wan', 'lan']) {
      if (!/^(?:wan|lan)(?:server)?$/.test(name)) throw routingPluginErrors.E_DHT_TYPE(name)
      const table = name.startsWith('wan') ? current.wan : current.lan
      yield { Name: name, Buckets: await Promise.all(table.buckets().map(bucket => bucketStat(online, bucket))) }
    }
  }
})

async function bucketStat(network: Network, { refreshedAt, peers }: DhtBucket): Promise<Stat['Buckets'][number]> {
  const shown = peers.map(async ({ id, usefulAt, queriedAt }) => ({
    ID: id,
    Connected: network.connections(id).length > 0,
    AgentVersion: (await network.peer(id))?.agent ?? '',
    LastUsefulAt: seconds(usefulAt),
    LastQueriedAt: seconds(queriedAt)
  }))
  return { LastRefresh: seconds(refreshedAt), Peers: peers.length === 0 ? null : await Promise.all(shown) }
}

const seconds = (date: Date | undefined) => (date === undefined ? '' : `${date.toISOString().slice(0, 19)}Z`)

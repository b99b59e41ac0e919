import { z } from 'zod'
import { command, optional, p, Repo, value } from '../../../../core/index.ts'
import { columns } from '../../columns.ts'
import { P2p } from '../../service.ts'
import { switchedOn } from '../../switched-on.ts'

const stream = z.object({ HandlerID: z.string(), Protocol: z.string(), OriginAddress: z.string(), TargetAddress: z.string() })

export const streamLs = command({
  path: 'p2p/stream/ls',
  status: 'experimental',
  access: 'read',
  help: 'List the connections that go to and from services of peers.',
  examples: [{ title: 'List them with a line of titles', args: 'p2p stream ls --headers' }],
  needs: { repo: Repo, p2p: optional(P2p) },
  options: { headers: p.bool('Print a line of titles first.').alias('v') },
  reply: value(z.object({ Streams: z.array(stream).nullable() })),
  text: ({ Streams }, { options }) =>
    columns([
      ...(options.headers ? [['ID', 'Protocol', 'Origin', 'Target']] : []),
      ...(Streams ?? []).map(({ HandlerID, Protocol, OriginAddress, TargetAddress }) => [HandlerID, Protocol, OriginAddress, TargetAddress])
    ]),
  run(services) {
    const Streams = switchedOn(services)
      .streams()
      .map(({ id, protocol, origin, target }) => ({
        HandlerID: String(id),
        Protocol: protocol,
        OriginAddress: origin,
        TargetAddress: target
      }))
    return { Streams: Streams.length === 0 ? null : Streams }
  }
})

import { z } from 'zod'
import { command, value } from '../../../../core/index.ts'
import { headers, table } from '../../columns.ts'
import { ofP2p, switchedOn } from '../../switched-on.ts'

const stream = z.object({ HandlerID: z.string(), Protocol: z.string(), OriginAddress: z.string(), TargetAddress: z.string() })

const TITLES = { HandlerID: 'ID', Protocol: 'Protocol', OriginAddress: 'Origin', TargetAddress: 'Target' }

export const streamLs = command.read('p2p/stream/ls', {
  ...ofP2p,
  help: 'List the connections that go to and from services of peers.',
  examples: [{ title: 'List them with a line of titles', args: 'p2p stream ls --headers' }],
  options: { headers },
  reply: value(z.object({ Streams: z.array(stream).nullable() })),
  text: ({ Streams }, { options }) => table(options.headers, TITLES, Streams),
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

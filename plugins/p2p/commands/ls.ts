import { z } from 'zod'
import { command, value } from '../../../core/index.ts'
import { headers, table } from '../columns.ts'
import { ofP2p, switchedOn } from '../switched-on.ts'

const listener = z.object({ Protocol: z.string(), ListenAddress: z.string(), TargetAddress: z.string() })

const TITLES = { Protocol: 'Protocol', ListenAddress: 'Listen Address', TargetAddress: 'Target Address' }

export const ls = command.read('p2p/ls', {
  ...ofP2p,
  help: 'List the services that are offered to peers or forwarded from them.',
  examples: [{ title: 'List them with a line of titles', args: 'p2p ls --headers' }],
  options: { headers },
  reply: value(z.object({ Listeners: z.array(listener).nullable() })),
  text: ({ Listeners }, { options }) => table(options.headers, TITLES, Listeners),
  run(services) {
    const all = switchedOn(services).list()
    const Listeners = all.map(({ protocol, listen, target }) => ({ Protocol: protocol, ListenAddress: listen, TargetAddress: target }))
    return { Listeners: Listeners.length === 0 ? null : Listeners }
  }
})

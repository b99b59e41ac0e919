import { z } from 'zod'
import { command, optional, p, Repo, value } from '../../../core/index.ts'
import { columns } from '../columns.ts'
import { P2p } from '../service.ts'
import { switchedOn } from '../switched-on.ts'

const listener = z.object({ Protocol: z.string(), ListenAddress: z.string(), TargetAddress: z.string() })

export const ls = command({
  path: 'p2p/ls',
  status: 'experimental',
  access: 'read',
  help: 'List the services that are offered to peers or forwarded from them.',
  examples: [{ title: 'List them with a line of titles', args: 'p2p ls --headers' }],
  needs: { repo: Repo, p2p: optional(P2p) },
  options: { headers: p.bool('Print a line of titles first.').alias('v') },
  reply: value(z.object({ Listeners: z.array(listener).nullable() })),
  text: ({ Listeners }, { options }) =>
    columns([
      ...(options.headers ? [['Protocol', 'Listen Address', 'Target Address']] : []),
      ...(Listeners ?? []).map(({ Protocol, ListenAddress, TargetAddress }) => [Protocol, ListenAddress, TargetAddress])
    ]),
  run(services) {
    const all = switchedOn(services).list()
    const Listeners = all.map(({ protocol, listen, target }) => ({ Protocol: protocol, ListenAddress: listen, TargetAddress: target }))
    return { Listeners: Listeners.length === 0 ? null : Listeners }
  }
})

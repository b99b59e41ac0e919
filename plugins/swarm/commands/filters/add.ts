import { AddressFilters, command, optional, p } from '../../../../core/index.ts'
import { onlineForCommand } from '../../../../core/network/index.ts'
import { stringList } from '../../replies.ts'

export const filtersAdd = command.admin('swarm/filters/add', {
  help: 'Keep away from ranges of addresses, from now on and after the next start. Connections that are open stay.',
  examples: [{ title: 'Keep away from a private network', args: 'swarm filters add /ip4/10.0.0.0/ipcidr/8' }],
  needs: { filters: optional(AddressFilters) },
  args: { address: p.string('Ranges, e.g. /ip4/10.0.0.0/ipcidr/8.').many().fromBody() },
  ...stringList,
  async run({ filters }, { args }) {
    const added = [...new Set(args.address)]
    await onlineForCommand(filters).add(added)
    return { Strings: added }
  }
})

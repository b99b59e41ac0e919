import { AddressFilters, command, optional, p } from '../../../../core/index.ts'
import { onlineForCommand } from '../../../../core/network/index.ts'
import { stringList } from '../../replies.ts'

/** The word for every filter. */
const ALL = new Set(['all', '*'])

export const filtersRm = command.admin('swarm/filters/rm', {
  help: 'Take ranges of addresses out of the filters, from now on and after the next start.',
  needs: { filters: optional(AddressFilters) },
  args: { address: p.string('Ranges as they were added; all or * for every one.').many().fromBody() },
  ...stringList,
  async run({ filters }, { args }) {
    const live = onlineForCommand(filters)
    const gone = ALL.has(args.address[0] ?? '') ? await live.clear() : await live.remove(args.address)
    return { Strings: gone === undefined ? null : [...gone] }
  }
})

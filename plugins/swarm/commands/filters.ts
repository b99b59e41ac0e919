import { AddressFilters, command, optional } from '../../../core/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'
import { orNull, stringList } from '../replies.ts'

export const filters = command.read('swarm/filters', {
  help: 'List the ranges of addresses that this node neither dials nor is reached from.',
  needs: { filters: optional(AddressFilters) },
  ...stringList,
  run: ({ filters }) => ({ Strings: orNull(onlineForCommand(filters).list()) })
})

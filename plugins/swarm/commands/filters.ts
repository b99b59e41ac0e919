import { AddressFilters, command, optional, value } from '../../../core/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'
import { orNull, stringLines, strings } from '../replies.ts'

export const filters = command({
  path: 'swarm/filters',
  access: 'read',
  help: 'List the ranges of addresses that this node neither dials nor is reached from.',
  needs: { filters: optional(AddressFilters) },
  reply: value(strings),
  xml: 'stringList',
  text: stringLines,
  run: ({ filters }) => ({ Strings: orNull(onlineForCommand(filters).list()) })
})

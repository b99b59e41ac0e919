import { command, nothing } from '../../../../core/index.ts'
import { serviceName } from '../../filters.ts'
import { RemoteServicesToken } from '../../services.ts'

export const serviceRm = command.admin('pin/remote/service/rm', {
  help: 'Take a pinning service out of the node configuration. What it has pinned stays there.',
  examples: [{ title: 'Forget a service and its key', args: 'pin remote service rm mine' }],
  needs: { services: RemoteServicesToken },
  args: { service: serviceName('Its name.') },
  reply: nothing(),
  run: ({ services }, { args }) => services.remove(args.service)
})

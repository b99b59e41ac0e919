import { command, nothing, p } from '../../../../core/index.ts'
import { RemoteServicesToken } from '../../services.ts'

export const serviceAdd = command.admin('pin/remote/service/add', {
  help: 'Take a pinning service into the node configuration, under a name. It is not asked anything yet.',
  examples: [
    { title: 'Take a service, with the key that it gave out', args: 'pin remote service add mine https://pins.example.org/api KEY' }
  ],
  needs: { services: RemoteServicesToken },
  args: {
    service: p.name('A name for it.'),
    endpoint: p.string('Its URL, without /pins.'),
    key: p.string('The key that it gave out. No command shows it again.').secret()
  },
  reply: nothing(),
  run: ({ services }, { args }) => services.add(args.service, args.endpoint, args.key)
})

import { command, Host, nothing } from '../../../core/index.ts'

export const shutdown = command({
  path: 'shutdown',
  access: 'admin',
  help: 'Stop this node.',
  needs: { host: Host },
  reply: nothing(),
  run: ({ host }) => host.shutdown('asked to by the shutdown command')
})

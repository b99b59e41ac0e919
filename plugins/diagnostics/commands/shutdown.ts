import { command, Host, nothing } from '../../../core/index.ts'

export const shutdown = command.admin('shutdown', {
  control: true,
  help: 'Stop this node.',
  examples: [{ title: 'Stop the node', args: 'shutdown' }],
  needs: { host: Host },
  reply: nothing(),
  run: ({ host }) => host.shutdown('asked to by the shutdown command')
})

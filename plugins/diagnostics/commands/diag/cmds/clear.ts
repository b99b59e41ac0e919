import { Activity, command, nothing } from '../../../../../core/index.ts'

export const diagCmdsClear = command({
  path: 'diag/cmds/clear',
  access: 'admin',
  control: true,
  help: 'Forget the finished calls.',
  examples: [{ title: 'Forget the finished calls', args: 'diag cmds clear' }],
  needs: { activity: Activity },
  reply: nothing(),
  run: ({ activity }) => activity.clear()
})

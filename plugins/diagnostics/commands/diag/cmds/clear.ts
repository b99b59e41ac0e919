import { Activity, command, nothing } from '../../../../../core/index.ts'

export const diagCmdsClear = command.admin('diag/cmds/clear', {
  control: true,
  help: 'Forget the finished calls.',
  examples: [{ title: 'Forget the finished calls', args: 'diag cmds clear' }],
  needs: { activity: Activity },
  reply: nothing(),
  run: ({ activity }) => activity.clear()
})

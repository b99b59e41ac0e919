import { Activity, command, nothing } from '../../../../../core/index.ts'

export const diagCmdsClear = command({
  path: 'diag/cmds/clear',
  access: 'admin',
  help: 'Forget the finished calls.',
  needs: { activity: Activity },
  reply: nothing(),
  run: ({ activity }) => activity.clear()
})

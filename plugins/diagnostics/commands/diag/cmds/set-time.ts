import { parseDuration } from '../../../../../core/go/duration.ts'
import { Activity, command, nothing, p } from '../../../../../core/index.ts'

export const diagCmdsSetTime = command.admin('diag/cmds/set-time', {
  control: true,
  help: 'Set how long finished calls are listed.',
  examples: [{ title: 'List finished calls for ten minutes', args: 'diag cmds set-time 10m' }],
  needs: { activity: Activity },
  args: { time: p.duration('How long, e.g. 10m.').raw() },
  reply: nothing(),
  run: ({ activity }, { args }) => activity.keepFor(Number(parseDuration(args.time)) / 1e6)
})

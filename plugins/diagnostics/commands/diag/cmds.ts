import { z } from 'zod'
import { formatDuration } from '../../../../core/go/duration.ts'
import { rfc3339 } from '../../../../core/go/json.ts'
import { type ActiveCall, Activity, command, p, value } from '../../../../core/index.ts'
import { table } from '../../table.ts'

const call = z.object({
  StartTime: z.string(),
  EndTime: z.string().describe('The year 1 while it runs.'),
  Active: z.boolean(),
  Command: z.string(),
  Options: z.record(z.string(), z.unknown()),
  Args: z.array(z.string()),
  ID: z.int()
})

const NEVER = '0001-01-01T00:00:00Z'

export const diagCmds = command.admin('diag/cmds', {
  control: true,
  help: 'List the calls that run on this node, and finished ones for a while.',
  examples: [{ title: 'Show what the node is doing', args: 'diag cmds --verbose' }],
  needs: { activity: Activity },
  options: { verbose: p.bool('As text: also their options and arguments.').alias('v') },
  reply: value(z.array(call)),
  xml: 'ReqLogEntry',
  text: (calls, { options }) => table(rows(calls, options.verbose === true)),
  run: ({ activity }) => activity.list().map(shown)
})

function shown({ id, command, args, options, start, end }: ActiveCall): z.input<typeof call> {
  return {
    StartTime: rfc3339(start),
    EndTime: end === undefined ? NEVER : rfc3339(end),
    Active: end === undefined,
    Command: command,
    Options: { ...options },
    Args: [...args],
    ID: id
  }
}

function rows(calls: ReadonlyArray<z.input<typeof call>>, verbose: boolean): string[][] {
  const head = ['ID', 'Command', ...(verbose ? ['Arguments', 'Options'] : []), 'Active', 'StartTime', 'RunTime']
  const lines = calls.map(({ ID, Command, Args, Options, Active, StartTime, EndTime }) => {
    const said = verbose ? [JSON.stringify(Args), JSON.stringify(Options, (_, of) => (typeof of === 'bigint' ? String(of) : of))] : []
    const end = Active ? Date.now() : Date.parse(EndTime)
    const time = formatDuration(BigInt(Math.max(0, end - Date.parse(StartTime))) * 1_000_000n)
    return [String(ID), Command, ...said, String(Active), StartTime, time]
  })
  return [head, ...lines]
}

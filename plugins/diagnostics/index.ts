/**
 * What a node says about itself, and how it is told to end.
 *
 * @packageDocumentation
 */
import { plugin } from '../../core/index.ts'
import { commands } from './commands/commands.ts'
import { completions } from './commands/completion.ts'
import { diagCmdsClear } from './commands/diag/cmds/clear.ts'
import { diagCmdsSetTime } from './commands/diag/cmds/set-time.ts'
import { diagCmds } from './commands/diag/cmds.ts'
import { id } from './commands/id.ts'
import { logLevel } from './commands/log/level.ts'
import { logLs } from './commands/log/ls.ts'
import { logTail } from './commands/log/tail.ts'
import { shutdown } from './commands/shutdown.ts'
import { versionDeps } from './commands/version/deps.ts'
import { version } from './commands/version.ts'
import { diagnosticsErrors } from './errors.ts'

export default plugin({
  name: 'diagnostics',
  api: '^1',
  about: 'Who the node is, which version, which commands it has; and how to stop it.',
  commands: [
    id,
    version,
    versionDeps,
    commands,
    ...completions,
    diagCmds,
    diagCmdsClear,
    diagCmdsSetTime,
    logLevel,
    logLs,
    logTail,
    shutdown
  ],
  errors: diagnosticsErrors
})

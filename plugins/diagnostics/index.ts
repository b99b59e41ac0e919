/**
 * The node's word about itself, and the command by which it ends. Beside the commands, `/debug` and `/logs` on the RPC listener show metrics,
 * profiles and the log.
 *
 * @packageDocumentation
 */
import { Blockstore, Metrics, optional, plugin, Repo, service } from '../../core/index.ts'
import { commands } from './commands/commands.ts'
import { completions } from './commands/completion.ts'
import { diagCmdsClear } from './commands/diag/cmds/clear.ts'
import { diagCmdsSetTime } from './commands/diag/cmds/set-time.ts'
import { diagCmds } from './commands/diag/cmds.ts'
import { diagHealthy } from './commands/diag/healthy.ts'
import { diagProfile } from './commands/diag/profile.ts'
import { diagSys } from './commands/diag/sys.ts'
import { id } from './commands/id.ts'
import { logLevel } from './commands/log/level.ts'
import { logLs } from './commands/log/ls.ts'
import { logTail } from './commands/log/tail.ts'
import { shutdown } from './commands/shutdown.ts'
import { versionCheck } from './commands/version/check.ts'
import { versionDeps } from './commands/version/deps.ts'
import { version } from './commands/version.ts'
import { logsRoute } from './debug/logs.ts'
import { metricsRoute, openCensusRoute } from './debug/metrics.ts'
import { pprofRoute, stackRoute } from './debug/pprof.ts'
import { rateRoutes } from './debug/rates.ts'
import { varsRoute } from './debug/vars.ts'
import { diagnosticsErrors } from './errors.ts'
import { ProfileTurn, ProfileTurnToken } from './profile/turn.ts'
import { StoreReadings, StoreReadingsToken } from './store-readings.ts'

export default plugin({
  name: 'diagnostics',
  api: '^1',
  about: 'The identity, the work and the health of the node: version, commands, calls, log, metrics, profiles; and how to stop it.',
  internal: [
    service(StoreReadingsToken, {
      needs: { metrics: Metrics, store: optional(Blockstore), repo: optional(Repo) },
      make: s => new StoreReadings(s.metrics, s.store, s.repo)
    }),
    service(ProfileTurnToken, ProfileTurn)
  ],
  commands: [
    id,
    version,
    versionCheck,
    versionDeps,
    commands,
    ...completions,
    diagCmds,
    diagCmdsClear,
    diagCmdsSetTime,
    diagHealthy,
    diagProfile,
    diagSys,
    logLevel,
    logLs,
    logTail,
    shutdown
  ],
  routes: [metricsRoute, openCensusRoute, varsRoute, stackRoute, pprofRoute, ...rateRoutes, logsRoute],
  errors: diagnosticsErrors
})

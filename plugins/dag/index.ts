/**
 * Graphs of blocks: codecs and hashers, paths through them, nodes in and out, and statistics.
 *
 * @packageDocumentation
 */
import { HeldInputs } from '../../core/body/held.ts'
import { Blocks, Dag, Denylist, optional, PathResolver, plugin, ReadAhead, service } from '../../core/index.ts'
import { exportCar } from './commands/export.ts'
import { get } from './commands/get.ts'
import { importCar } from './commands/import.ts'
import { put } from './commands/put.ts'
import { resolve } from './commands/resolve.ts'
import { stat } from './commands/stat.ts'
import { DagEngine } from './engine.ts'
import { dagCommandErrors } from './errors.ts'
import { DagInputs } from './inputs.ts'
import { Paths } from './paths.ts'
import { DagSettings, dagSettings } from './settings.ts'

export default plugin({
  name: 'dag',
  api: '^1',
  about: 'Graphs of blocks: codecs, paths, nodes in and out, and statistics.',
  settings: dagSettings,
  provides: [
    service(Dag, {
      needs: { blocks: Blocks, budget: optional(ReadAhead), settings: DagSettings },
      make: s => new DagEngine(s.blocks, s.settings, s.budget)
    }),
    service(PathResolver, {
      needs: { blocks: Blocks, dag: Dag, denylist: optional(Denylist) },
      make: s => new Paths(s.blocks, s.dag, s.denylist)
    })
  ],
  internal: [
    service(DagInputs, { needs: { settings: DagSettings }, make: s => new HeldInputs(s.settings.maxInputs, 'plugins.dag.maxInputs') })
  ],
  commands: [exportCar, importCar, put, get, resolve, stat],
  errors: dagCommandErrors
})

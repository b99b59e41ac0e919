import { completeWords, completion } from './completion.ts'
import { daemon } from './daemon.ts'
import { doctor } from './doctor.ts'
import { help } from './help.ts'
import { init } from './init.ts'
import { pluginCheck, pluginNew } from './plugin.ts'
import { plugins } from './plugins.ts'
import type { Program } from './program.ts'
import { repoSalvage } from './salvage.ts'
import { trust } from './trust.ts'

/** The programs of this command line itself. Each imports what it works with when it runs. */
export const programs: readonly Program[] = [
  daemon,
  init,
  trust,
  plugins,
  pluginNew,
  pluginCheck,
  doctor,
  repoSalvage,
  completion,
  help,
  completeWords
]

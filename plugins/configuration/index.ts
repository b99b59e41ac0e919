/**
 * The node configuration over the API. Its keys, defaults and profiles are the model's (`NodeConfigModel`), its file the repo's; what callers
 * may see and change of it is decided here, in `keys.ts` and `replacement.ts`.
 *
 * @packageDocumentation
 */
import { plugin } from '../../core/index.ts'
import { addDefault } from './commands/bootstrap/add/default.ts'
import { add } from './commands/bootstrap/add.ts'
import { bootstrap, list } from './commands/bootstrap/list.ts'
import { rmAll } from './commands/bootstrap/rm/all.ts'
import { rm } from './commands/bootstrap/rm.ts'
import { apply } from './commands/config/profile/apply.ts'
import { replace } from './commands/config/replace.ts'
import { show } from './commands/config/show.ts'
import { config } from './commands/config.ts'
import { configurationErrors } from './errors.ts'
import { configurationSettings } from './settings.ts'

export default plugin({
  name: 'configuration',
  api: '^1',
  about: 'The node configuration: its values, profiles, and the peers that the node asks first.',
  nodeKeys: { atOnce: ['AutoConf.Enabled'] },
  settings: configurationSettings,
  commands: [add, addDefault, apply, bootstrap, config, list, replace, rm, rmAll, show],
  errors: configurationErrors
})

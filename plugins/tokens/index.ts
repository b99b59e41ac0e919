/**
 * Tokens: secrets of callers of the RPC, each with the most that it may do, the commands it may call and an end. They stand in
 * `API.Authorizations` of the node configuration beside those that Kubo knows, by their hash alone.
 *
 * @packageDocumentation
 */
import { SecretUses } from '../../core/callers/index.ts'
import { Datastore, hook, Log, plugin, service } from '../../core/index.ts'
import { list } from './commands/list.ts'
import { newToken } from './commands/new.ts'
import { rm } from './commands/rm.ts'
import { tokenErrors } from './errors.ts'
import { tokenSettings } from './settings.ts'
import { Uses } from './uses.ts'

/** Notes whose secret a call was made with. */
const noted = hook({
  needs: { uses: Uses },
  run({ uses }, { caller }, next) {
    if (caller.grant?.name !== undefined && caller.transport === 'http') uses.note(caller.grant.name)
    return next()
  }
})

export default plugin({
  name: 'tokens',
  api: '^1',
  about: 'Tokens of callers of the RPC: what each may do, and until when.',
  settings: tokenSettings,
  internal: [service(Uses, { needs: { datastore: Datastore, log: Log }, make: s => new SecretUses(s.datastore, '/tokens/used/', s.log) })],
  commands: [list, newToken, rm],
  around: [noted],
  errors: tokenErrors
})

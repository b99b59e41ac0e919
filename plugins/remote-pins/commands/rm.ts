import { goQuote } from '../../../core/go/index.ts'
import { command, nothing, p, prefixed } from '../../../core/index.ts'
import { remotePinErrors } from '../errors.ts'
import { filterOptions, queryOf } from '../filters.ts'
import { RemoteServicesToken } from '../services.ts'
import { RemotePinSettings } from '../settings.ts'

export const rm = command.write('pin/remote/rm', {
  blocks: 'neither',
  help: 'Have a pinning service keep something no longer. What is stored here stays.',
  examples: [
    { title: 'Give up a pin by its name', args: 'pin remote rm --service=mine --name=site' },
    { title: 'Give up all that the service could not pin', args: 'pin remote rm --service=mine --status=failed --force' }
  ],
  needs: { services: RemoteServicesToken, settings: RemotePinSettings },
  args: { unexpected: p.string('None: options say which pins are meant.').many().optional() },
  options: { ...filterOptions, force: p.bool('Also where several pins match.').default(false) },
  reply: nothing(),
  async run({ services, settings }, { args, options, signal }) {
    const service = services.named(options.service, signal)
    if (args.unexpected.length > 0) throw remotePinErrors.E_REMOTE_ARGUMENT()
    const query = queryOf(options)
    const ids: string[] = []
    try {
      for await (const { requestId } of service.list(query)) {
        ids.push(requestId)
        if (ids.length > (options.force ? settings.maxRemoved : 1)) break
      }
    } catch (error) {
      signal.throwIfAborted()
      throw prefixed('error while listing remote pins: ', error)
    }
    if (ids.length > 1 && !options.force) throw remotePinErrors.E_REMOTE_MANY()
    if (ids.length > settings.maxRemoved) throw remotePinErrors.E_REMOTE_REMOVED_MOST(settings.maxRemoved)
    for (const id of ids) {
      try {
        await service.remove(id)
      } catch (error) {
        signal.throwIfAborted()
        throw prefixed(`removing pin identified by requestid=${goQuote(id)} failed: `, error)
      }
    }
  }
})

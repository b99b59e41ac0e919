/**
 * The other side of remote pins: this node keeps content for others, who ask by the IPFS Pinning Service API, on a listener of its own. Clients
 * have tokens, and each sees what it asked for.
 *
 * @packageDocumentation
 */
import { hook, listener, plugin, route } from '../../core/index.ts'
import { PinningApiToken } from './api/api.ts'
import { ls } from './commands/ls.ts'
import { rm } from './commands/rm.ts'
import { tokenList } from './commands/token/list.ts'
import { tokenNew } from './commands/token/new.ts'
import { tokenRm } from './commands/token/rm.ts'
import { pinningServiceErrors } from './errors.ts'
import { internal } from './parts.ts'
import { unpinned } from './removed-pins.ts'
import { PinningServiceToken } from './service.ts'
import { PinningServiceSettings, pinningServiceSettings } from './settings.ts'

/** Has what the node's user unpins pinned again where a request wants it. */
const kept = hook({
  only: ({ path }) => path === 'pin/rm' || path === 'pin/update',
  needs: { service: PinningServiceToken },
  async run({ service }, _, next) {
    const result = await next()
    for (const cid of unpinned(result)) await service.recheck(cid)
    return result
  }
})

export default plugin({
  name: 'pinning-service',
  api: '^1',
  about: 'Keeps content for others, who ask by the IPFS Pinning Service API.',
  offByDefault: true,
  settings: pinningServiceSettings,
  internal,
  commands: [ls, rm, tokenList, tokenNew, tokenRm],
  around: [kept],
  listeners: [
    listener({
      name: 'pinning-service',
      title: 'Pinning service',
      help: 'The IPFS Pinning Service API.',
      needs: { at: PinningServiceSettings, service: PinningServiceToken },
      at: ({ at }) => at,
      opened: ({ service }) => service.begin()
    })
  ],
  routes: [
    route({
      listener: 'pinning-service',
      method: '*',
      path: '/*',
      help: 'Pins of a client: /pins and /pins/{requestid}.',
      rawPath: true,
      needs: { api: PinningApiToken },
      handle: ({ api }, request, response, context) => api.handle(request, response, context)
    })
  ],
  errors: pinningServiceErrors
})

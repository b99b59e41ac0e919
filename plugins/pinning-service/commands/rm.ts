import { z } from 'zod'
import { command, hasCode, p, value } from '../../../core/index.ts'
import { pinningServiceErrors } from '../errors.ts'
import { PinningServiceToken } from '../service.ts'

export const rm = command.write('pin/service/rm', {
  help: 'End requests of a client of this pinning service. A pin goes with its last one, unless it is one of your own.',
  needs: { service: PinningServiceToken },
  args: { token: p.name('The token that they were made with, by its name.'), requestId: p.string('The ID of a request.').many() },
  reply: value(z.object({ Removed: z.array(z.string()) })),
  text: ({ Removed }) => Removed.map(id => `removed ${id}\n`).join(''),
  async run({ service }, { args: { token: owner, requestId } }) {
    for (const id of requestId) {
      try {
        await service.remove({ owner, id })
      } catch (error) {
        throw hasCode(error, 'E_PINNING_ABSENT') ? pinningServiceErrors.E_PINNING_REQUEST(owner, id) : error
      }
    }
    return { Removed: [...requestId] }
  }
})

import { createServer, type Server } from 'node:net'
import { messageOf } from '../../../core/index.ts'
import { hostErrors } from '../../errors.ts'
import type { PlannedListener } from '../../plugins/compose/declarations.ts'
import type { ListenAddress } from './addresses.ts'
import { listen } from './listen.ts'
import { addressOf } from './plugin-listeners.ts'

/** Listeners that are opened as a node would open them, side by side, to see whether it could. Nobody is answered. */
export class Trial {
  readonly #servers: Server[] = []

  /** @throws E_RPC_LISTEN */
  async open(address: ListenAddress): Promise<void> {
    const server = createServer(socket => socket.destroy())
    await listen(server, address)
    this.#servers.push(server)
  }

  /** The same for one of a plugin's. @throws E_LISTENER */
  async openPlanned({ plugin, name, at }: PlannedListener): Promise<void> {
    try {
      for (const one of at()) await this.open(await addressOf(one))
    } catch (error) {
      throw hostErrors.E_LISTENER(plugin, name, messageOf(error))
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map(server => new Promise(resolve => server.close(resolve))))
  }
}

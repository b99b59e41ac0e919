import { unlink } from 'node:fs/promises'
import { createConnection, type Server } from 'node:net'
import { messageOf } from '../../core/index.ts'
import type { ListenAddress } from './addresses.ts'
import { rpcErrors } from './errors.ts'

/**
 * Opens a server on an address.
 *
 * @throws E_RPC_LISTEN
 */
export async function listen(server: Server, address: ListenAddress): Promise<void> {
  try {
    await attempt(server, address)
  } catch (error) {
    const { listen: to } = address
    if (!('path' in to) || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || (await answers(to.path))) {
      throw rpcErrors.E_RPC_LISTEN(address.text, messageOf(error))
    }
    // a socket that nobody listens on was left behind by a process that was killed
    await unlink(to.path)
    await attempt(server, address)
  }
}

function attempt(server: Server, { listen: to }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(to, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function answers(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createConnection(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

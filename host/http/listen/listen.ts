import { chmodSync, lstatSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { createConnection, type Server } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import { messageOf } from '../../../core/index.ts'
import { rpcErrors } from '../listener-errors.ts'
import type { ListenAddress } from './addresses.ts'

/**
 * Opens a server on an address. A socket in the file system is for this user alone. One that was left behind there by a process that was
 * killed is replaced; anything else is left as it is.
 *
 * @throws E_RPC_LISTEN
 */
export async function listen(server: Server, address: ListenAddress): Promise<void> {
  const { listen: to, text } = address
  try {
    if ('path' in to) await takeOver(server, to.path)
    else await attempt(server, address)
  } catch (error) {
    throw rpcErrors.E_RPC_LISTEN(text, messageOf(error))
  }
}

async function takeOver(server: Server, path: string): Promise<void> {
  try {
    await attemptSocket(server, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || process.platform === 'win32') throw error
    // a connection to a regular file is refused as well, so that alone says nothing
    if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === false) throw new Error('there is something that is no socket')
    if (!(await refuses(path))) throw error
    await unlink(path)
    await attemptSocket(server, path)
  }
}

async function attemptSocket(server: Server, path: string): Promise<void> {
  if (process.platform === 'win32') return attempt(server, { listen: { path } })
  // the socket is made at once, while nothing else of this thread runs; were it made first and closed to others then, they could come in between
  // (a worker thread cannot set what the whole process works with)
  const before = isMainThread ? process.umask(0o077) : undefined
  const opened = attempt(server, { listen: { path } })
  if (before !== undefined) process.umask(before)
  await opened
  chmodSync(path, 0o600)
}

function attempt(server: Server, { listen: to }: Pick<ListenAddress, 'listen'>): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(to, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Whether nobody listens on a socket. */
function refuses(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createConnection(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
  })
}

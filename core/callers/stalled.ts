import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const WATCH = Symbol('watch')

/** The watch over a connection: how many answers wait for its client, and what its time limit was before. */
interface Watch {
  count: number
  before: number
}

type WatchedSocket = Socket & { [WATCH]?: Watch }

/**
 * Has the connection broken off once its client has taken nothing for some time. Who takes a little at a time has time for all of it: the socket
 * looks at its queue.
 *
 * @param ms - 0: without limit
 * @returns what ends the watch, to be called once
 */
export function watchClient({ req }: ServerResponse, ms: number): () => void {
  if (ms === 0) return () => {}
  const socket: WatchedSocket = req.socket
  socket[WATCH] ??= { count: 0, before: 0 }
  const watch = socket[WATCH]
  if (watch.count++ === 0) {
    watch.before = socket.timeout ?? 0
    socket.setTimeout(ms)
  }
  return () => {
    if (--watch.count === 0) socket.setTimeout(watch.before)
  }
}

/** Resolves when the client has taken all of an answer that was ended, or is gone; undefined where nothing waits for it. */
export function taken(response: ServerResponse, ms: number): Promise<void> | undefined {
  if (response.writableFinished || response.closed) return undefined
  return new Promise(resolve => {
    let release = () => {}
    const begin = () => {
      release = watchClient(response, ms)
    }
    // one behind others on its connection waits for those, and not for the client, until its turn comes
    if (response.socket === null) response.once('socket', begin)
    else begin()
    const done = () => {
      response.off('socket', begin)
      response.off('finish', done)
      response.off('close', done)
      release()
      resolve()
    }
    // before Node gives the connection its time until the next request
    response.prependListener('finish', done)
    response.on('close', done)
  })
}

interface Ended {
  readonly response: ServerResponse
  readonly ms: number
}

const ended: Ended[] = []

/** The same of a small answer, which is ended at the end of the turn together with others, and which nobody waits for. */
export function watchEnd(response: ServerResponse, ms: number): void {
  if (ms > 0 && ended.push({ response, ms }) === 1) setImmediate(look)
}

function look(): void {
  for (const { response, ms } of ended.splice(0)) void taken(response, ms)
}

import { once } from 'node:events'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { PeerStream } from '../../core/index.ts'

/**
 * Octets both ways between a service of this machine and a peer, until both directions have ended. Each ends by itself: a client that has said all it
 * has to say still gets its answer. Where one breaks, both are torn, so that nobody takes a part for the whole.
 *
 * @param patience - milliseconds that one direction may be silent once the other has ended
 */
export async function join(local: Duplex, remote: PeerStream, patience: number): Promise<void> {
  const silence = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | undefined
  const moved = () => void timer?.refresh()
  const ended = () => {
    timer ??= setTimeout(() => silence.reject(new Error(`nothing came for ${patience} ms, and the other side had ended`)), patience)
  }
  try {
    const both = Promise.all([outward(local, remote, moved).then(ended), inward(remote, local, moved).then(ended)])
    await Promise.race([both, silence.promise])
  } catch (error) {
    tear(local)
    remote.abort(error instanceof Error ? error : undefined)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Breaks a connection in a way that the other side cannot take for its end. */
export function tear(local: Duplex): void {
  if (local instanceof Socket) local.resetAndDestroy()
  else local.destroy()
}

async function outward(local: Duplex, remote: PeerStream, moved: () => void): Promise<void> {
  for await (const bytes of local.iterator({ destroyOnReturn: false })) {
    await remote.write(bytes as Uint8Array)
    moved()
  }
  await remote.end()
}

async function inward(remote: PeerStream, local: Duplex, moved: () => void): Promise<void> {
  const gone = new AbortController()
  const leave = () => gone.abort(local.errored ?? undefined)
  local.once('close', leave)
  try {
    for await (const bytes of remote) {
      if (!local.write(bytes)) await once(local, 'drain', { signal: gone.signal })
      moved()
    }
    local.end()
  } finally {
    local.off('close', leave)
  }
}

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { messageOf } from '../../../core/errors.ts'
import type { NodeConfig } from '../../../core/index.ts'
import { parseAddressOfPeer } from '../../../core/multiaddr/index.ts'
import { repoFiles } from '../../../core/repo/layout.ts'
import { type Finding, ok, warning } from './finding.ts'

/** How far the times of files may lie ahead, in milliseconds: other machines write them as well. */
const AHEAD = 60_000

/** Whether the clock is behind: nobody is asked for the time, but files of the repo that were written later than now tell. */
export async function lookAtClock(path: string, now = Date.now()): Promise<Finding> {
  for (const name of ['.', repoFiles.config]) {
    const written = await stat(join(path, name)).catch(() => undefined)
    if (written === undefined || written.mtimeMs <= now + AHEAD) continue
    const about = `it is ${new Date(now).toISOString()} by the clock, and ${join(path, name)} was written at ${written.mtime.toISOString()}`
    return warning('clock', about, 'Set the clock: records of names, and certificates, are good for a time.')
  }
  return ok('clock', `it is ${new Date(now).toISOString()}`)
}

/** Whether the peers to begin with can be dialled, as far as their addresses say. */
export async function lookAtBootstrap({ Bootstrap }: NodeConfig): Promise<Finding[]> {
  const addresses = (Bootstrap ?? []) as readonly string[]
  if (addresses.length === 0) return [ok('bootstrap', 'nobody is dialled to begin with: peers come by themselves, or by swarm connect')]
  const found: Finding[] = []
  for (const address of addresses) {
    await parseAddressOfPeer(address).catch(error => {
      found.push(
        warning(
          'bootstrap',
          `'${address}' is passed over: ${messageOf(error)}`,
          'Take it out: holdfast config Bootstrap, or edit the file.'
        )
      )
    })
  }
  const good = addresses.length - found.length
  return good === 0 ? found : [...found, ok('bootstrap', `${good} ${good === 1 ? 'address' : 'addresses'} to begin with`)]
}

/** Whether the addresses for peers can be listened on. One that the machine does not have is none of the node's faults. */
export async function lookAtSwarmPorts({ Addresses }: NodeConfig): Promise<Finding[]> {
  const { Swarm } = (Addresses ?? {}) as { Swarm?: readonly string[] | null }
  const places = new Map<string, Promise<Finding | undefined>>()
  for (const address of Swarm ?? []) {
    const [place, host, transport, port] = /^\/ip[46]\/([^/]+)\/(tcp|udp)\/(\d+)/.exec(address) ?? []
    if (place === undefined || places.has(place)) continue
    places.set(place, tryPort(place, { host: host!, port: Number(port) }, transport === 'udp'))
  }
  return (await Promise.all(places.values())).filter(finding => finding !== undefined)
}

async function tryPort(text: string, where: { host: string; port: number }, isUdp: boolean): Promise<Finding | undefined> {
  const socket = isUdp ? createSocket(where.host.includes(':') ? { type: 'udp6', ipv6Only: true } : { type: 'udp4' }) : createServer()
  try {
    const listens = once(socket, 'listening')
    if ('bind' in socket) socket.bind(where.port, where.host)
    else socket.listen({ ...where, ipv6Only: true })
    await listens
    const closed = once(socket, 'close')
    socket.close()
    await closed
    return ok('ports', `${text} is free for peers`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return undefined
    const about = code === 'EADDRINUSE' ? `another program listens on ${text}, where peers would reach the node` : messageOf(error)
    return warning('ports', about, 'Stop that program, or choose another address: Addresses.Swarm in the repo.')
  }
}

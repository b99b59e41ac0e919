import type { IncomingMessage } from 'node:http'
import { gatewayErrors } from '../errors.ts'

/** A host that a request is asked under. */
export interface HostName {
  /** The name in the letters that it was sent in, without its port and a dot at its end. */
  readonly name: string
  /** The port as it was sent, with its colon; `''` without one. */
  readonly port: string
}

const HOST = /^(\[[0-9A-Fa-f:.]*\]|[\w.-]*)(:\d*)?$/

/**
 * The host of a request: what a proxy in front says, else an absolute target, else the field `Host`. A name with a dot at its end is the same
 * host as without: it must not be another origin.
 *
 * @param ofTarget - of an absolute target
 * @throws E_GATEWAY_HOST, E_GATEWAY_HOSTS
 */
export function hostOf({ headers, rawHeaders }: IncomingMessage, ofTarget: string | undefined): HostName {
  if (repeatsHost(rawHeaders)) throw gatewayErrors.E_GATEWAY_HOSTS()
  const forwarded = headers['x-forwarded-host']
  const [first] = typeof forwarded === 'string' && forwarded !== '' ? forwarded.split(',', 1) : [ofTarget ?? headers.host ?? '']
  return parseHost(first!.trim())
}

/** @throws E_GATEWAY_HOST */
export function parseHost(text: string): HostName {
  const [, name, port = ''] = HOST.exec(text) ?? []
  if (name === undefined || name.endsWith('..')) throw gatewayErrors.E_GATEWAY_HOST(text)
  return { name: name.endsWith('.') ? name.slice(0, -1) : name, port }
}

/** Whether a text can be the host of a request, as {@link parseHost} reads it. */
export function isHost(text: string): boolean {
  return HOST.test(text)
}

/** Node.js keeps the first of several and drops the others, where a proxy in front may have looked at the last. */
function repeatsHost(rawHeaders: readonly string[]): boolean {
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') found++
  }
  return found > 1
}

/** The start of links to other content on a host: its scheme is that of the page. */
export function linkBase({ name, port }: HostName): string {
  return `//${name}${port}`
}

/** The scheme that the caller sees. */
export function schemeOf({ headers }: IncomingMessage): 'http' | 'https' {
  return headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
}

import { type Logger, messageOf } from '../../../core/index.ts'
import { networkPluginErrors } from '../errors.ts'
import type { Libraries } from '../libp2p/libraries.ts'
import type { Node } from '../libp2p/node.ts'

/** Addresses of secure WebSockets: a transport takes them, and without a certificate no connection to them would come about. */
const SECURE_WEBSOCKET = /\/(wss|tls\/(sni\/[^/]+\/)?ws)(\/|$)/
const NO_CERTIFICATE = 'secure WebSockets need a certificate, which plugins.network.wss names'

/** An address that was not listened on, and why. */
interface Refused {
  readonly address: string
  readonly why: string
}

interface ListenParts {
  readonly node: Node
  readonly libraries: Libraries
  /** Whether there is a certificate for secure WebSockets. */
  readonly isCertified: boolean
  readonly log: Logger
}

/**
 * Listens on each address that a transport knows. Those that none does are left out with one line in the log, those that are taken with one
 * each; where nothing at all is listened on, that is an error.
 *
 * @throws E_LISTEN
 */
export async function listenOn(
  addresses: readonly string[],
  { node, libraries: { multiaddr }, isCertified, log }: ListenParts
): Promise<void> {
  const { transportManager } = node.components
  const known = addresses.filter(address => transportManager.listenTransportForMultiaddr(multiaddr(address)) !== undefined)
  const unknown = addresses.filter(address => !known.includes(address))
  if (unknown.length > 0) log.info(`Addresses.Swarm: no transport of this node listens on ${unknown.join(', ')}`)
  const refused: Refused[] = []
  await Promise.all(
    known.map(async address => {
      try {
        if (SECURE_WEBSOCKET.test(address) && !isCertified) throw new Error(NO_CERTIFICATE)
        await transportManager.listen([multiaddr(address)])
      } catch (error) {
        refused.push({ address, why: reasonOf(error, address) })
      }
    })
  )
  if (known.length > 0 && refused.length === known.length)
    throw networkPluginErrors.E_LISTEN(known, refused.map(({ why }) => why).join('; '))
  // a machine without IPv6 is no fault
  for (const { address, why } of refused)
    log[/EAFNOSUPPORT|EADDRNOTAVAIL/.test(why) ? 'info' : 'warn'](`cannot listen on ${address}: ${why}`)
}

/** Why an address is not listened on: libp2p wraps the reason into advice for programmers, and puts the stack of the error behind it. */
export function reasonOf(error: unknown, address: string): string {
  const line = messageOf(error)
    .split('\n')
    .map(text => text.trim())
    .find(text => text.startsWith(`${address}: `))
  return (line ?? messageOf(error)).slice(line === undefined ? 0 : address.length + 2).replace(/^Error: /, '')
}
